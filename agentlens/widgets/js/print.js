// Paper is light, whatever the screen is, and narrower: the stage is laid out anew for it.

const PAPER = "680px"; // of A4 and of Letter with a browser's usual margins

export function watchPrint(root, turned) {
  const turn = (on) => () => {
    root.style.width = on ? PAPER : "";
    // What is wiped on one canvas would be wiped on paper from all that lies below: begin anew.
    for (const canvas of root.querySelectorAll("canvas")) canvas.width = 0;
    turned(on);
  };
  const pairs = [["beforeprint", turn(true)], ["afterprint", turn(false)]];
  for (const [name, act] of pairs) addEventListener(name, act);
  return () => { for (const [name, act] of pairs) removeEventListener(name, act); };
}
