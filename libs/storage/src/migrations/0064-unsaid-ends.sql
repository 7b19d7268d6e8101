-- Messages of an end that were never attempted, by what they are about: one that is not true any more is withdrawn.
create index notifications_unsaid on notifications (order_key)
  where state = 'Pending' and attempts = 0 and leader_no is null and kind in ('device.up', 'location.online', 'anchor.up');
