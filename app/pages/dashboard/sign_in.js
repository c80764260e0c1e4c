// Sign-in: with a key, or with the one-time code of the address.

import { messageOf, request, RequestRefused } from "../shared/api_request.js";
import { find, make } from "../shared/elements.js";
import { ApiClient, storedKey, storeKey } from "./api_client.js";
import { field, form, setLocation } from "./components.js";

/**
 * Show the sign-in form.
 * @param {HTMLElement} main
 * @param {(client: ApiClient) => Promise<void>} onSignedIn
 * @param {string} [error] why the previous sign-in failed
 */
export function showSignIn(main, onSignedIn, error) {
  setLocation("Sign in", []);
  find("tools").hidden = true;
  const key = make("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false" });
  const hint = "It is stored in this tab only, until you sign out or close the tab.";
  const { element } = form([field("Key", key, hint)], "Sign in", async () => {
    const client = await openClient(key.value.trim());
    storeKey(client.key);
    await onSignedIn(client);
  });
  const errors = error ? [make("p", { class: "wrong", role: "alert" }, error)] : [];
  main.replaceChildren(make("div", { class: "message" }, make("h1", {}, "Sign in"), ...errors, element, advice()));
  key.focus();
}

function advice() {
  const command = (/** @type {string} */ text) => make("code", {}, text);
  return make(
    "p",
    { class: "soft" },
    "Was the service started on this machine with ",
    command("nextpair start"),
    "? Then no key is needed: type ",
    command("nextpair sign-in"),
    " in the same folder. Otherwise the operator of the service makes a key, which may change everything (admin) or only read (read): ",
    command("nextpair keys create --scope admin"),
  );
}

/**
 * Check a key, and return a client that uses it.
 * @param {string} key
 */
export async function openClient(key) {
  if (!key) throw new Error("Paste a key.");
  // A header can contain no other characters.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("This is not a key.");
  const client = new ApiClient(key);
  try {
    const { scope } = await client.get("GET /v1/keys/current", {});
    client.scope = scope;
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    if (error.message.includes("too long ago")) throw new Error("You were signed in too long ago: sign in again.");
    if (error.status === 401) throw new Error("The service does not know this key, or it was revoked.");
    throw error;
  }
  if (client.scope === "platform") {
    throw new Error("This key is for platforms. The dashboard needs a key with the scope read or admin.");
  }
  return client;
}

/** Exchange the one-time code of the address for a key; return an error message if that fails. */
export async function exchangeCode() {
  const code = location.hash.slice(1);
  // The code is removed from the history, although it cannot be used again.
  history.replaceState(null, "", "/sign-in");
  try {
    const { key } = await request("POST /v1/sign-ins/use", { token: null, path: {}, body: { code } });
    storeKey(key);
    location.replace("/studies");
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestRefused)) return messageOf(error);
    return "This sign-in address does not work: it was used before, or it is too old.";
  }
}

/** Forget the key. A key that was made for this browser is revoked; other keys stay valid. */
export async function signOut() {
  const key = storedKey();
  storeKey(null);
  if (key) await request("DELETE /v1/sign-ins/current", { token: key, path: {} }).catch(() => {});
  location.assign("/studies");
}
