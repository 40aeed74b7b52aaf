// A text of the server as a sentence, with text in backticks as code.

import { asSentence, partsOf } from './sentence.ts';

export function PlainText({ text }: { readonly text: string }) {
  return (
    <>
      {partsOf(asSentence(text)).map((part, index) =>
        part.isCode ? <code key={index}>{part.text}</code> : part.text,
      )}
    </>
  );
}
