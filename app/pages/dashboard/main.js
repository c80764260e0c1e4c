// Entry point of the dashboard: signs the owner in, and shows the page of the address.

import { messageOf } from "../shared/api_request.js";
import { button, find, make } from "../shared/elements.js";
import { storedKey } from "./api_client.js";
import { showReport } from "./report_page.js";
import { exchangeCode, openClient, showSignIn, signOut } from "./sign_in.js";
import { showStudies } from "./study_list.js";
import { StudyPage } from "./study_page.js";
import { TopicPage } from "./topic_page.js";

/** @import { ApiClient } from "./api_client.js" */

const main = find("main");

/** @param {boolean} isConnected whether events are received */
function showConnection(isConnected) {
  const state = find("state");
  state.className = isConnected ? "state on" : "state off";
  state.textContent = isConnected ? "live" : "no connection";
}

/**
 * Show the page of the address.
 * @param {ApiClient} client
 */
function showPage(client) {
  const [, study, kind, topic] = location.pathname.split("/").slice(1).map(decodeURIComponent);
  if (!study) return showStudies(client, main);
  if (kind === "report") return showReport(client, main, study);
  if (kind === "topics" && topic) return new TopicPage(client, main, study, topic, showConnection).show();
  return new StudyPage(client, main, study, showConnection).show();
}

/** @param {ApiClient} client */
async function begin(client) {
  find("tools").hidden = false;
  if (location.pathname === "/sign-in") {
    location.replace("/studies");
    return;
  }
  try {
    await showPage(client);
  } catch (error) {
    showFailure(error, () => begin(client));
  }
}

/**
 * @param {unknown} error
 * @param {() => void} retry
 */
function showFailure(error, retry) {
  const heading = make("h1", { tabindex: "-1" }, "This does not work");
  const studies = make("a", { href: "/studies" }, "All studies");
  const actions = make("div", { class: "actions" }, button("Try again", retry), studies);
  main.replaceChildren(make("div", { class: "message" }, heading, make("p", { dir: "auto" }, messageOf(error)), actions));
  heading.focus();
}

async function start() {
  if (location.pathname === "/sign-in" && location.hash.length > 1) {
    const failure = await exchangeCode();
    if (failure) showSignIn(main, begin, failure);
    return;
  }
  const key = storedKey();
  if (!key) {
    showSignIn(main, begin);
    return;
  }
  try {
    await begin(await openClient(key));
  } catch (error) {
    showSignIn(main, begin, messageOf(error));
  }
}

find("sign-out").addEventListener("click", signOut);
addEventListener("hashchange", () => location.pathname === "/sign-in" && location.reload());
start();
