// Notebook 7 takes keys for its shortcuts before the element that has the focus hears of them. What
// moves or presses a control is kept for the control; every other shortcut stays the host's.

const OURS = new Set([
  "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", "Enter", " ",
]);
const SUPPRESS = "data-lm-suppress-shortcuts"; // what Lumino's command registry looks for

// root: a widget; in a Lens its controls count too. more: letters that the widget takes.
export function keepKeys(root, more = "") {
  let marked = null;
  const clear = () => {
    if (marked) marked.removeAttribute(SUPPRESS);
    marked = null;
  };
  const hear = (event) => {
    clear(); // the next key may come before the timer
    if (event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter")) return;
    if (!OURS.has(event.key) && !(event.key.length === 1 && more.includes(event.key))) return;
    const target = event.composedPath()[0], home = root.closest(".agentlens-lens") || root;
    if (!home.contains(target) || target.hasAttribute(SUPPRESS)) return;
    marked = target;
    marked.setAttribute(SUPPRESS, "");
    setTimeout(clear); // once all have heard this one
  };
  window.addEventListener("keydown", hear, true); // before the document's listeners
  return () => { window.removeEventListener("keydown", hear, true); clear(); };
}
