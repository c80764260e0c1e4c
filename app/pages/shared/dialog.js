// The page's modal dialog.

import { button, find } from "./elements.js";

/** @typedef {{label: string, value: string, kind?: string}} DialogAction */

/**
 * Show the dialog and return the value of the action that closes it, or null if it is dismissed.
 * @param {string} title
 * @param {Node[]} body
 * @param {DialogAction[]} actions an empty value dismisses the dialog
 * @param {HTMLElement} [fallback] gets the focus afterwards if nothing had it before
 * @returns {Promise<string | null>}
 */
export function ask(title, body, actions, fallback = find("main")) {
  const dialog = find("dialog", HTMLDialogElement);
  const focused = document.activeElement;
  find("dialog-title").textContent = title;
  find("dialog-body").replaceChildren(...body);
  const buttons = actions.map(({ label, value, kind }) => button(label, () => dialog.close(value), kind));
  find("dialog-actions").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const onClose = () => {
      const restorable = focused instanceof HTMLElement && focused.isConnected && focused !== document.body;
      (restorable ? focused : fallback).focus();
      resolve(dialog.returnValue || null);
    };
    dialog.addEventListener("close", onClose, { once: true });
  });
}

/**
 * Show the dialog with a single button, which closes it.
 * @param {string} title
 * @param {Node[]} body
 */
export async function show(title, body) {
  await ask(title, body, [{ label: "Close", value: "", kind: "quiet" }]);
}
