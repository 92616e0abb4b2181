"""Looks at a page for somebody in the chat."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import urlsplit

from .messages import BrowserJob, Context

log = logging.getLogger(__name__)


async def visit(job: BrowserJob, context: Context) -> None:
    """Open the page in a browser of its own, which goes with the attempt."""
    host = urlsplit(job["url"]).hostname
    if not host:
        raise ValueError("the address has no host")
    browser = await asyncio.create_subprocess_exec(
        "chromium", "--headless", "--screenshot=/tmp/page.png", "--", job["url"]
    )
    try:
        if await browser.wait() != 0:
            raise RuntimeError("the browser gave up")
    finally:
        if browser.returncode is None:
            browser.kill()
    log.info("looked at %s in attempt %s", host, context.attempt)
