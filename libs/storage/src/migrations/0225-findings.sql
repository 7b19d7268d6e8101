-- More kinds of alerts about the installation itself: the database went back, the certificate of the REST port cannot be
-- renewed, the key file is missing.
drop index alerts_open_installation;
create unique index alerts_open_installation on alerts (account_no, kind)
  where closed_us is null
    and kind in ('clock.wrong', 'disk.low', 'backup.old', 'database.back', 'certificate.failing', 'key.missing');
