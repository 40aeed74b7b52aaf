// What the scripted agent writes in place of a real one. The first changelog entry is wrong on
// purpose: it says "Version", but the job's rule requires the bare number.

export const facts = `2.4.0

Users notice
- Shopping lists can be shared by a link, with an optional password.
- Lists made before 2.0 have to be opened once before they can be shared.
- Sync is faster: 500 items took 4.1 s, now 1.3 s.
- Search finds "ö" when you type "o".
- Importing an empty CSV file no longer crashes.

Users do not notice
- Updated dependencies.
`;

const changes = `
- Added: share a shopping list by a link, with an optional password.
- Changed: sync of 500 items takes 1.3 s instead of 4.1 s.
- Changed: search finds "ö" when you type "o".
- Fixed: importing an empty CSV file no longer crashes.
- Also: updated dependencies.
`;

export const wrongChangelogEntry = `## Version 2.4\n${changes}`;
export const changelogEntry = `## 2.4.0\n${changes}`;

export const announcement = `You can now share a shopping list: send the link, and add a
password if you like.

Lists also arrive sooner. Syncing 500 items takes 1.3 seconds
instead of 4.1. Search finds "ö" when you type "o", and importing
an empty CSV file no longer crashes.

If a list is older than Larder 2.0, open it once before you
share it.
`;

export const checklist = `- [ ] Read both texts once more
- [ ] Put changelog_entry.md at the top of the changelog
- [ ] Release 2.4.0 on Thursday
- [ ] Publish announcement.md after the release
`;
