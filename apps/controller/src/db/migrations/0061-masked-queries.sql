-- Credentials in the query of a device's URL are shown as ***, as those in the addresses of contacts are. The sealed URL keeps them.
update devices set url = regexp_replace(url,
  '([?&][^=&#]*(?:auth|code|credential|key|pass|pwd|secret|sig|token)[^=&#]*=)(?!\$\{)[^&#]+', '\1***', 'gi')
where method = 'HTTP' and position('?' in url) > 0;
