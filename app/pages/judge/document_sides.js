// On which side each document is shown: one that stays from the question before stays where it was.

/**
 * Choose the sides of a pair; the answer is told with the document that was on the left.
 * @param {any} assignment
 * @param {{topic: string, ids: string[]} | null} before what was on screen
 * @returns {{left: any, right: any} | null} null of a single document
 */
export function arrange(assignment, before) {
  const { left, right } = assignment;
  if (!left || !right) return null;
  const known = before && before.topic === assignment.topic.id ? before.ids : [];
  const crossed = known.length === 2 && (left.id === known[1] || right.id === known[0]);
  return crossed ? { left: right, right: left } : { left, right };
}

/**
 * Say which documents of a pair are new beside one that stayed.
 * @param {any} assignment
 * @param {{topic: string, ids: string[]} | null} before
 * @returns {Set<string>}
 */
export function freshOf(assignment, before) {
  if (!assignment.left || !before || before.topic !== assignment.topic.id) return new Set();
  const shown = [assignment.left.id, assignment.right.id];
  const fresh = shown.filter((id) => !before.ids.includes(id));
  return new Set(fresh.length === 1 ? fresh : []);
}
