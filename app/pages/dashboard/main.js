// The dashboard: lets an owner in with a one-time code or a key, and shows the page that the address names.

import { call, messageOf, Refusal } from "../shared/api_call.js";
import { button, find, make } from "../shared/elements.js";
import { field, form, place } from "./components.js";
import { keepKey, keptKey, Owner } from "./api_client.js";
import { showReport } from "./report_page.js";
import { showStudies } from "./study_list.js";
import { StudyPage } from "./study_page.js";
import { TopicPage } from "./topic_page.js";

const main = find("main");

/** @param {boolean} through whether news come in */
function state(through) {
  const shown = find("state");
  shown.className = through ? "state on" : "state off";
  shown.textContent = through ? "live" : "no connection";
}

/** @param {Owner} owner */
async function show(owner) {
  const [, study, kind, topic] = location.pathname.split("/").slice(1).map(decodeURIComponent);
  if (!study) return showStudies(owner, main);
  if (!kind) return new StudyPage(owner, main, study, state).show();
  if (kind === "report") return showReport(owner, main, study);
  return new TopicPage(owner, main, study, topic, state).show();
}

/**
 * Ask for a key.
 * @param {string} [wrong] what was wrong with the last one
 */
function signIn(wrong) {
  place("Sign in", []);
  find("tools").hidden = true;
  const key = make("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false" });
  const body = form([field("Key", key, "It is kept in this tab alone, until you sign out or close it.")], "Sign in", async () => {
    const owner = await open(key.value.trim());
    keepKey(owner.key);
    await begin(owner);
  });
  const how = make(
    "p",
    { class: "soft" },
    "Was the service started on this machine with ",
    make("code", {}, "nextpair start"),
    "? Then no key is needed: type ",
    make("code", {}, "nextpair sign-in"),
    " in the same folder. Otherwise whoever runs it makes a key, which does everything (admin) or only looks (read): ",
    make("code", {}, "nextpair keys create --scope admin"),
  );
  const told = wrong ? [make("p", { class: "wrong", role: "alert" }, wrong)] : [];
  main.replaceChildren(make("div", { class: "message" }, make("h1", {}, "Sign in"), ...told, body, how));
  key.focus();
}

/** @param {string} key */
async function open(key) {
  if (!key) throw new Error("Paste a key.");
  // A header holds no more than this; anything else is no key of ours.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("This is not a key.");
  const owner = new Owner(key);
  try {
    owner.scope = (await owner.get("/v1/keys/current")).scope;
  } catch (error) {
    if (error instanceof Refusal && error.message.includes("too long ago")) throw new Error("You were signed in too long ago: sign in again.");
    if (error instanceof Refusal && error.status === 401) throw new Error("The service does not know this key, or it was revoked.");
    throw error;
  }
  if (owner.scope === "platform") throw new Error("This key is for platforms, which ask and answer. The dashboard needs one of the scope read or admin.");
  return owner;
}

/** @param {Owner} owner */
async function begin(owner) {
  find("tools").hidden = false;
  if (location.pathname === "/sign-in") return location.replace("/studies");
  try {
    await show(owner);
  } catch (error) {
    const again = button("Try again", () => begin(owner));
    const back = make("a", { href: "/studies" }, "All studies");
    const box = make("div", { class: "message" }, make("h1", { tabindex: "-1" }, "This does not work"), make("p", { dir: "auto" }, messageOf(error)), make("div", { class: "actions" }, again, back));
    main.replaceChildren(box);
    box.firstChild.focus();
  }
}

/** Exchange the one-time code of the address for a key of this browser's own. */
async function useCode() {
  const code = location.hash.slice(1);
  // Not in the history: the code is spent, but nobody needs to wonder about it.
  history.replaceState(null, "", "/sign-in");
  try {
    const { key } = await call("POST", "/v1/sign-ins/use", null, { code });
    keepKey(key);
    location.replace("/studies");
  } catch (error) {
    signIn(error instanceof Refusal ? "This sign-in address does not work: it was used before, or is too old." : messageOf(error));
  }
}

async function start() {
  if (location.pathname === "/sign-in" && location.hash.length > 1) return useCode();
  const key = keptKey();
  if (!key) return signIn();
  try {
    await begin(await open(key));
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Error)) throw error;
    signIn(messageOf(error));
  }
}

find("sign-out").addEventListener("click", async () => {
  const key = keptKey();
  keepKey(null);
  // A key of this browser alone ends with it; any other key stays as it is.
  if (key) await call("DELETE", "/v1/sign-ins/current", key).catch(() => {});
  location.assign("/studies");
});
addEventListener("hashchange", () => location.pathname === "/sign-in" && location.reload());
start();
