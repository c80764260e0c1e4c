// The page of a study's report: the page that the service writes, inside the dashboard.

import { make } from "../shared/elements.js";
import { parseHtml } from "../shared/html_parser.js";
import { pagePath, reportPath } from "./api_client.js";
import { actionButton, note, setLocation } from "./components.js";

/** @import { ApiClient } from "./api_client.js" */
/** @import { Crumb } from "./components.js" */

const OPERATION = "GET /v1/studies/{study}/report.html";

/**
 * Show the report.
 * @param {ApiClient} client
 * @param {HTMLElement} main
 * @param {string} study
 */
export async function showReport(client, main, study) {
  const topic = new URLSearchParams(location.search).get("topic");
  const { title, id } = await client.get("GET /v1/studies/{study}", { study });
  const heading = title || id;
  /** @type {Crumb[]} */
  const topicCrumb = topic ? [[topic, pagePath(study, topic)]] : [];
  setLocation(`${heading}: report`, [[heading, pagePath(study)], ...topicCrumb, ["Report", reportPath(study, topic)]]);
  const head = make("div", { class: "head" }, make("h1", { dir: "auto" }, heading));
  main.replaceChildren(head, note("Writing the report. This takes a while if the study is large…"));
  const html = await client.text(OPERATION, { study }, { topic });
  const fileName = `${topic ? `${study}-${topic}` : study}-report.html`;
  const save = async () => {
    await client.download(fileName, OPERATION, { study }, { topic });
  };
  const actions = make("div", { class: "actions end" }, actionButton("Save as a file", save));
  main.replaceChildren(actions, make("div", { class: "report" }, ...contentOf(html)));
}

/**
 * Return the elements of the report's main part.
 * @param {string} html
 */
function contentOf(html) {
  // The head is left out: its style sheet is for the file, and the policy of this page would refuse it.
  const body = html.slice(html.indexOf("<main"), html.lastIndexOf("</main>"));
  const main = parseHtml(body).querySelector("main");
  // The service has escaped all text of other people. Elements that could load or run something are removed as well.
  for (const element of main?.querySelectorAll("script, style, link, iframe, object, embed, img") ?? []) element.remove();
  return [...(main?.childNodes ?? [])].map((node) => document.importNode(node, true));
}
