// Elements: a tag, properties, children.

export function element(tag, props = {}, children = []) {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
}
