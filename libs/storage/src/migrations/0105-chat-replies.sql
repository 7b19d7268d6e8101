-- What the receiver calls the message, where its answer names it, and when the contact had been edited by then: later
-- messages of the same alert are replies to it, while the contact is the same.
alter table notifications add column receiver_message text null, add column receiver_contact_us bigint null;
