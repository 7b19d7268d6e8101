-- A message says how many other devices fell in the same minute: the open outages of an account by their begin.
create index alerts_open_since on alerts (account_no, since_us) where closed_us is null and kind = 'device.down';
