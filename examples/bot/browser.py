"""Opens a web page in a browser for a user of the chat."""

from __future__ import annotations

import asyncio
import logging
import sys
from urllib.parse import urlsplit

from .messages import BrowserJob, Context

log = logging.getLogger(__name__)

BROWSER = (sys.executable, "-c", "import time; time.sleep(0.1)")
"""A program that receives a page and works on it. A real handler would start a headless browser."""


async def visit(job: BrowserJob, context: Context) -> None:
    """Open the page in a new browser, which is stopped when the attempt ends."""
    host = urlsplit(job["url"]).hostname
    if not host:
        raise ValueError("the address has no host")
    browser = await asyncio.create_subprocess_exec(*BROWSER, job["url"])
    try:
        if await browser.wait() != 0:
            raise RuntimeError("the browser failed")
    finally:
        if browser.returncode is None:
            browser.kill()
    log.info("visited %s in attempt %s", host, context.attempt)
