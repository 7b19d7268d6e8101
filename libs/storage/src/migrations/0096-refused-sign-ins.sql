-- Refused sign-ins are in the audit. The rows before have other actions, so nothing is to be checked again.
alter table audit drop constraint audit_action_check;
alter table audit add constraint audit_action_check check (action in ('create', 'update', 'delete', 'refuse')) not valid;
