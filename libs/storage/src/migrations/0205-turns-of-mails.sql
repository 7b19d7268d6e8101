-- Mails leave in turns: by account, then by what sends them (`page 3`, `confirm 3`, `report 7`).
alter table mails add column account_no int not null default 0, add column sender text not null default '';
update mails m set account_no = p.account_no,
  sender = case when s.confirmed_us is null then 'confirm ' else 'page ' end || p.page_no
from page_subscribers s join pages p using (page_no) where s.subscriber_no = m.subscriber_no;
update mails m set account_no = r.account_no, sender = 'report ' || r.report_no
from reports r where r.report_no = m.report_no;
create index mails_turns on mails (account_no, sender, due_us);
drop index mails_due;
