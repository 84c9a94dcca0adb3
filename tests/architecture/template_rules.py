"""What a template may not contain: each rule takes a text and answers the offending pieces."""

import re
from collections.abc import Callable

Rule = Callable[[str], list[str]]

TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
FORM = re.compile(r"<form\b[^>]*>.*?</form>", re.DOTALL)


def needs_an_inline_allowance(text: str) -> list[str]:
    """Anything for which `script-src 'self'; style-src 'self'` would have to be loosened."""
    found = re.findall(r"<style\b|\bstyle=|\son[a-z]+=|javascript:|\bhx-on\b", text)
    return found + [tag for tag in re.findall(r"<script\b[^>]*>", text) if "src=" not in tag]


def uses_htmx_against_the_house_style(text: str) -> list[str]:
    """hx-boost, hx-vals in js, filters that need eval, and swaps other than outerHTML."""
    found = re.findall(r"hx-boost|hx-vals='js:[^']*|hx-trigger=\"[^\"]*\[[^\"]*", text)
    for element in re.findall(r"<[a-z]+\b[^>]*\bhx-target=[^>]*>", text, re.DOTALL):
        if 'hx-swap="outerHTML"' not in element:
            found.append(element)
    return found


def targets_no_region(text: str) -> list[str]:
    """A literal hx-target that is not the id of a region in the same text."""
    targets = re.findall(r'hx-target="#([a-z-]+)"', text)
    return [target for target in targets if f"{{% partialdef {target} inline %}}" not in text]


def region_without_its_id(text: str) -> list[str]:
    """A region whose first element does not carry the region's name as its id."""
    found = []
    for name, body in re.findall(
        r"\{% partialdef (\w+) inline %\}(.*?)\{% endpart", text, re.DOTALL
    ):
        first = re.search(r"<[a-z]+\b[^>]*>", body)
        if first is None or f'id="{name}"' not in first.group():
            found.append(name)
    return found


def form_that_needs_a_script(text: str) -> list[str]:
    """A form that would post nowhere, without a token, or elsewhere than its htmx twin."""
    found = []
    for form in FORM.findall(text):
        opening = form[: form.index(">") + 1]
        if 'method="dialog"' in opening:
            continue
        action, twin = _attribute("action", opening), _attribute("hx-(?:post|get)", opening)
        has_token = "{% csrf_token %}" in form or 'name="csrfmiddlewaretoken"' in form
        is_post = 'method="post"' in opening
        if not action or (twin and twin != action) or (is_post and not has_token):
            found.append(opening)
    return found


def instant_outside_time(text: str) -> list[str]:
    """An instant that is shown without a <time datetime> around it."""
    outside = re.sub(r"<time datetime=.*?</time>", "", text, flags=re.DOTALL)
    return re.findall(r"\{\{[^}]*\|(?:exact|clock_time|from_now|since)\b[^}]*\}\}", outside)


def include_that_leaks(text: str) -> list[str]:
    """A component that would see the whole context of its page."""
    return [tag for tag in re.findall(r"\{% include [^%]*%\}", text) if " only %}" not in tag]


def control_without_a_name(text: str) -> list[str]:
    """A button or a link with nothing to read in it."""
    found = []
    for element in re.findall(r"<(?:button|a)\b.*?</(?:button|a)>", text, re.DOTALL):
        inner = re.sub(r"\{% icon .*?%\}|<[^>]*>", "", element[element.index(">") + 1 :])
        if not re.search(r"\w", inner):
            found.append(element)
    return found


def _attribute(name: str, tag: str) -> str:
    match = re.search(rf'\b{name}="([^"]*)"', tag)
    return match.group(1) if match else ""


# Each rule with a text that keeps it and a text that breaks it.
RULES: dict[Rule, tuple[str, str]] = {
    needs_an_inline_allowance: (
        '<script src="a.js"></script><p class="a" data-on="x">style</p>',
        '<p style="color: red" onclick="go()"><script>go()</script>',
    ),
    uses_htmx_against_the_house_style: (
        '<form hx-post="/a/" hx-target="#a" hx-swap="outerHTML">',
        '<body hx-boost="true"><p hx-get="/a/" hx-target="#a">',
    ),
    targets_no_region: (
        '{% partialdef a inline %}<p id="a">{% endpartialdef a %}<form hx-target="#a">',
        '<form hx-target="#a">',
    ),
    region_without_its_id: (
        '{% partialdef a inline %}<p id="a">{% endpartialdef a %}',
        '{% partialdef a inline %}<p id="b">{% endpartialdef a %}',
    ),
    form_that_needs_a_script: (
        '<form method="post" action="/a/" hx-post="/a/">{% csrf_token %}</form>',
        '<form method="post" hx-post="/a/">{% csrf_token %}</form>',
    ),
    instant_outside_time: (
        '<time datetime="{{ at.isoformat }}">{{ at|exact }}</time>',
        "<p>{{ at|exact }}</p>",
    ),
    include_that_leaks: (
        '{% include "a.html" with b=c only %}',
        '{% include "a.html" with b=c %}',
    ),
    control_without_a_name: (
        '<button>{% icon "copy" %}<span>Copy</span></button>',
        '<button>{% icon "copy" %}</button>',
    ),
}
