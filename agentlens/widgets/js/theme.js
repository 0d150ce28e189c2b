import { groundIsDark } from "./colours.js";

// Light or dark: as told, else as the ground that the stage stands on is.

export function watchTheme(root, wanted, changed) {
  function apply() {
    const told = wanted();
    const theme = told === "auto" ? (groundIsDark(root.parentElement || document.body) ? "dark" : "light") : told;
    const forced = String(told !== "auto");
    if (root.dataset.theme === theme && root.dataset.forced === forced) return false;
    root.dataset.theme = theme;
    root.dataset.forced = forced;
    return true;
  }
  const check = () => { if (apply()) changed(); };
  const later = () => { check(); setTimeout(check, 150); }; // a theme's style sheet may arrive after its name
  const watch = new MutationObserver(later);
  for (const node of [document.documentElement, document.body]) {
    watch.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind"] });
  }
  const media = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((q) => matchMedia(q));
  const switched = () => { apply(); changed(); };
  media.forEach((m) => m.addEventListener("change", switched));
  apply();
  requestAnimationFrame(check);
  const stop = () => {
    watch.disconnect();
    media.forEach((m) => m.removeEventListener("change", switched));
  };
  stop.apply = apply;
  return stop;
}
