// The page as it would be, with made-up documents: nothing is asked for and nothing is stored.

import { call } from "../shared/api_call.js";
import { button, find } from "../shared/elements.js";
import { Fields, withoutTies } from "./answer_form.js";

const TOPIC = {
  id: "example",
  title: "How do I brew better coffee at home?",
  description: "This is a made-up example. Your questions will be about other things.",
  narrative: "A good answer says what to do, and why it makes the coffee better.",
};
const DOCUMENTS = [
  { id: "one", title: "Weigh your coffee", text: "Use scales: sixty grams of coffee for a litre of water. Grind it right before you brew, as coarse as sea salt, and let the water cool for half a minute after it has boiled." },
  { id: "two", title: "My favourite cups", text: "I have collected cups for years. The blue one comes from a market in Lisbon. Coffee is nicer in a cup that you like, and at home there is always time for one." },
];

/**
 * Show the instructions and an example.
 * @param {import("./view.js").Screen} screen
 * @param {import("./text_selection.js").Selecting} selecting
 * @param {string} study
 */
export async function preview(screen, selecting, study) {
  const about = await call("GET", `/judge/${encodeURIComponent(study)}/preview`, null);
  screen.study(about.title || about.study);
  const { design } = about;
  const begin = () => {
    screen.banner("This is a preview: nothing you do here is stored.");
    const example = exampleOf(design);
    const fields = new Fields(withoutTies(design.parts, design.ties));
    screen.question(example, fields, example.left ? { left: example.left, right: example.right } : null, new Set());
    selecting.into(fields.reason);
    find("undo").disabled = true;
    find("skip").disabled = true;
    return fields;
  };
  if (!design.instructions) return begin();
  const shown = new Promise((resolve) => {
    const actions = [button("See an example", () => resolve(begin()))];
    screen.message({ title: "Instructions", body: screen.instructions(design.instructions), actions });
  });
  return shown;
}

/** @param {any} design */
function exampleOf(design) {
  const [left, right] = DOCUMENTS;
  const shown = design.shape === "pair" ? { left, right } : { document: left };
  return { id: "example", kind: design.shape, topic: TOPIC, reviewed: null, ...shown };
}
