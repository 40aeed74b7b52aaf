// Names that look like another. A person who reads `coordinator` must be able to rely on it,
// so a name has no invisible character, is in its normal form, and does not mix alphabets
// whose letters look alike. A name entirely in another alphabet is fine, unless it looks like
// an existing name. Case is visible, so it counts.

/** Have no width, or change how the text beside them is shown. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_TWINS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;

/** Pairs: a letter, and the Latin one that it looks like. */
const TWINS = new Map(
  [
    // Cyrillic
    'аa еe оo рp сc уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl кk мm пn тt гr иu ьb вb нh',
    'АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT ХX ҮY УY',
    // Greek
    'οo αa νv ρp υu ιi κk τt χx εe ηn γy σo ωw ϲc',
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
    // Armenian
    'օo ոn սu հh ցg քp զq',
    // Latin letters that are easily confused with the plain ones
    'ıi ɑa ɡg ɩi ᴀa ᴄc ᴅd ᴇe ɪi ɴn ᴏo ʀr ᴛt ᴡw',
  ]
    .join(' ')
    .split(' ')
    .map((pair) => [...pair] as [string, string]),
);

/** What is wrong with how a name looks, to be appended to it; null if nothing is. */
export function appearanceProblem(name: string): string | null {
  if (INVISIBLE.test(name)) return 'contains invisible characters';
  const usual = name.normalize('NFKC');
  if (usual !== name) return `is not written in the usual characters; write '${usual}'`;
  if (LATIN.test(name) && LATIN_TWINS.test(name)) {
    return 'mixes letters of different alphabets that look alike';
  }
  return null;
}

/** The known name that this one looks like without being equal to it. */
export function looksLike(name: string, known: Iterable<string>): string | null {
  const look = skeletonOf(name);
  for (const other of known) if (other !== name && skeletonOf(other) === look) return other;
  return null;
}

/** Equal for names that look alike. */
function skeletonOf(name: string): string {
  // Most names are plain ASCII, and every call gets here.
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return [...plain].map((letter) => TWINS.get(letter) ?? letter).join('');
}
