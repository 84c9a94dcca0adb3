"""A receiver that has every order and answers each lookup after 50 ms, in a process of its own.

    python -m opsconsole.bench.slow_receiver PORT

`GET /most` tells how many lookups were under way at once, as the receiver itself counted.
"""

import asyncio
import json
import sys

ANSWERS_AFTER_SECONDS = 0.05


class _Count:
    now = 0
    most = 0


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            answer = _Count.most if path == "/most" else await _look_up(path.rsplit("/", 1)[1])
            body = json.dumps(answer).encode()
            kind = b"Content-Type: application/json\r\n"
            writer.write(b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n" % (kind, len(body)))
            writer.write(body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _look_up(key: str) -> dict[str, object]:
    _Count.now += 1
    _Count.most = max(_Count.most, _Count.now)
    await asyncio.sleep(ANSWERS_AFTER_SECONDS)
    _Count.now -= 1
    payload = {"sku": "vanilla", "quantity": 6}
    effect = f"eff-{key}"
    return {"operation_id": key, "payload": payload, "status": "confirmed", "effect_id": effect}


async def _main(port: int) -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
