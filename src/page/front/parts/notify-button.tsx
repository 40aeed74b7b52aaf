// Asks for the permission to notify, when the person wants it.

import { useState } from 'preact/hooks';
import { notificationPermission } from '../attention.ts';
import { Icon } from './icon.tsx';

export function NotifyButton() {
  const [permission, setPermission] = useState(notificationPermission);
  if (permission !== 'default') return null;
  const ask = () => Notification.requestPermission().then(setPermission, () => {});
  return (
    <button type="button" class="small" onClick={ask} title="A notification for each new question">
      <Icon name="bell" />
      Notify me
    </button>
  );
}
