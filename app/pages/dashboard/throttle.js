// Limits how often an action runs.

/**
 * Return a function that runs an action soon, and again only after a pause. Calls in between are combined.
 * @param {() => Promise<void>} action
 * @param {number} pause in milliseconds
 */
export function throttled(action, pause) {
  let isRequested = false;
  let isBlocked = false;
  const run = async () => {
    isRequested = false;
    isBlocked = true;
    try {
      await action();
    } finally {
      setTimeout(() => {
        isBlocked = false;
        if (isRequested) run();
      }, pause);
    }
  };
  return () => {
    if (isRequested) return;
    isRequested = true;
    if (!isBlocked) setTimeout(run, 0);
  };
}
