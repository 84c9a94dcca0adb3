"""A person with a browser that runs no script: signs in, reads pages, sends forms."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Self
from urllib.parse import urlsplit

import httpx

from tests.journeys.world import World


@dataclass(slots=True)
class Form:
    """A form as it stands on the page; `values` are what an untouched form would send."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


class _Forms(HTMLParser):
    """Collects the forms that post."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A form begins, or a field of it."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method", "").lower() == "post":
            self._open = Form(given["action"])
            self.forms.append(self._open)
        elif self._open is not None and tag in ("input", "select", "textarea", "button"):
            self._take(tag, given)

    def handle_endtag(self, tag: str) -> None:
        """A form ends."""
        if tag == "form":
            self._open = None

    def _take(self, tag: str, given: dict[str, str]) -> None:
        assert self._open is not None
        name = given.get("name", "")
        if not name:
            return
        self._open.names.add(name)
        is_sent = tag == "input" and given.get("type", "text") not in ("checkbox", "radio")
        if is_sent or "checked" in given:
            self._open.values[name] = given.get("value", "")


class Person:
    """One signed-in person."""

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        self.http = httpx.Client(base_url=world.url, timeout=30)
        signed_in = self.send(
            self.http.get("/accounts/login/"),
            "/accounts/login/",
            login=name,
            password=world.demo.passwords[name],
        )
        assert signed_in.status_code == 302, signed_in.text

    def read(self, path: str) -> httpx.Response:
        """A page that this person may see."""
        answer = self.http.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
        return answer

    def decide(self, operation_id: str, noun: str, **fields: str) -> httpx.Response:
        """Fill in the form of one decision on the operation's page, and send it."""
        page = self.read(f"/operations/{operation_id}/")
        return self.send(page, noun, **fields)

    def forms(self, page: httpx.Response) -> list[Form]:
        """The forms on a page."""
        parser = _Forms()
        parser.feed(page.text)
        return parser.forms

    def send(self, page: httpx.Response, action_end: str, **fields: str) -> httpx.Response:
        """Send the form whose action ends like this, with these fields filled in."""
        forms = [form for form in self.forms(page) if form.action.endswith(action_end)]
        assert forms, f"no form …{action_end} on {page.url}: {self.forms(page)}"
        unknown = fields.keys() - forms[0].names
        assert not unknown, f"the form has no {unknown}, but {forms[0].names}"
        return self.http.post(
            forms[0].action,
            data=forms[0].values | fields,
            headers={"Referer": str(page.url), "Origin": _origin(page)},
        )

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _origin(page: httpx.Response) -> str:
    parts = urlsplit(str(page.url))
    return f"{parts.scheme}://{parts.netloc}"
