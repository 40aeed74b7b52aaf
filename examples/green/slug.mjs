/** `Hello, world!` becomes `hello-world`. */
export function slug(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}
