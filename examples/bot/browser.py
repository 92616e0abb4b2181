"""Looks at a page for somebody in the chat."""

from __future__ import annotations

import asyncio
import logging
import sys
from urllib.parse import urlsplit

from .messages import BrowserJob, Context

log = logging.getLogger(__name__)

BROWSER = (sys.executable, "-c", "import time; time.sleep(0.1)")
"""A program that is given a page and works on it. It stands here for a browser without a window."""


async def visit(job: BrowserJob, context: Context) -> None:
    """Open the page in a browser of its own, which goes with the attempt."""
    host = urlsplit(job["url"]).hostname
    if not host:
        raise ValueError("the address has no host")
    browser = await asyncio.create_subprocess_exec(*BROWSER, job["url"])
    try:
        if await browser.wait() != 0:
            raise RuntimeError("the browser gave up")
    finally:
        if browser.returncode is None:
            browser.kill()
    log.info("looked at %s in attempt %s", host, context.attempt)
