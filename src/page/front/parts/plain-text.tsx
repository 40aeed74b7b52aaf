// A text of the server: a sentence, with what stands in backticks as code.

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
