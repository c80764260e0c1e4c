// A study's report: the page that the service writes, shown with the dashboard around it.

import { make } from "../shared/elements.js";
import { doing, note, place } from "./components.js";
import { parse } from "../shared/html_parser.js";
import { at, pageOf } from "./api_client.js";

/**
 * Show the report.
 * @param {import("./api_client.js").Owner} owner
 * @param {HTMLElement} main
 * @param {string} study
 */
export async function showReport(owner, main, study) {
  const topic = new URLSearchParams(location.search).get("topic");
  const about = await owner.get(at(study));
  const title = about.title || about.id;
  place(`${title}: report`, [
    [title, pageOf(study)],
    ...(topic ? [/** @type {[string, string]} */ ([topic, pageOf(study, topic)])] : []),
    ["Report", `${pageOf(study)}/report${location.search}`],
  ]);
  main.replaceChildren(make("div", { class: "head" }, make("h1", { dir: "auto" }, title)), note("Putting the report together: of a large study that takes a while…"));
  const path = `${at(study)}/report.html${topic ? `?topic=${encodeURIComponent(topic)}` : ""}`;
  const text = await owner.text(path);
  // Its head is for when it stands alone: the policy of this page would refuse the style in it.
  const found = parse(text.slice(text.indexOf("<main"), text.lastIndexOf("</main>"))).querySelector("main");
  // Whatever people wrote in it was escaped by the service; what could load or run is left out all the same.
  for (const one of found?.querySelectorAll("script, style, link, iframe, object, embed, img") || []) one.remove();
  const report = make("div", { class: "report" });
  report.append(...[...(found?.childNodes || [])].map((node) => document.importNode(node, true)));
  const save = doing("Save as a file", () => owner.download(path, `${topic ? `${study}-${topic}` : study}-report.html`));
  main.replaceChildren(make("div", { class: "actions end" }, save), report);
}
