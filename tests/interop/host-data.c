/*
 * A small client of the REST API, as people write one for a computer without libraries: HTTP/1.0 on a socket, device ids from the lines
 * of a CSV list, and a scanner that finds values in JSON by their names. For each device of the account whose HostData.headers are {}
 * it sends the header User-Agent. It prints a line for each device: the ShortName, then "updated", or "skipped" and the reason.
 * Usage: host-data PORT KEY
 */
#define _POSIX_C_SOURCE 200809L
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ID_LENGTH 48
static const char change[] = "{\"HostData\": {\"headers\": {\"User-Agent\": \"old computer\"}}}";

static int port;
static const char *key;
static char list[1 << 20], answer[1 << 20];

/* Sends a request, stores the answer's body as text, and returns the status. */
static int ask(const char *method, const char *path, const char *body, char *into, size_t size) {
  char request[1024];
  struct sockaddr_in address;
  size_t length = 0;
  ssize_t got;
  int status = 0;
  char *begin;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address) != 0) exit(2);
  snprintf(request, sizeof request,
           "%s /v1.1%s HTTP/1.0\r\nX-Forwarded-Proto: https\r\nService-API-Key: %s\r\n"
           "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
           method, path, key, strlen(body), body);
  if (write(s, request, strlen(request)) != (ssize_t)strlen(request)) exit(2);
  while (length < size - 1 && (got = read(s, into + length, size - 1 - length)) > 0) length += (size_t)got;
  close(s);
  into[length] = 0;
  if (sscanf(into, "HTTP/1.%*d %d", &status) != 1 || (begin = strstr(into, "\r\n\r\n")) == NULL) exit(2);
  memmove(into, begin + 4, strlen(begin + 4) + 1);
  return status;
}

/* Copies the value of the first field with this name: a text, a number or an object, as it stands in the JSON. Returns 0 where there is none. */
static int field(const char *json, const char *name, char *value, size_t size) {
  char quoted[64];
  const char *at;
  size_t n = 0;
  int depth = 0, text = 0;
  snprintf(quoted, sizeof quoted, "\"%s\":", name);
  if ((at = strstr(json, quoted)) == NULL) return 0;
  for (at += strlen(quoted); *at != 0 && n < size - 1; at++) {
    if (!text && depth == 0 && (*at == ',' || *at == '}')) break;
    value[n++] = *at;
    if (text && *at == '\\' && n < size - 1 && at[1] != 0) value[n++] = *++at;
    else if (*at == '"') text = !text;
    else if (!text && *at == '{') depth++;
    else if (!text && *at == '}') depth--;
  }
  value[n] = 0;
  return n > 0;
}

static void visit(const char *id) {
  static char name[256], data[1 << 16], headers[1 << 16];
  char path[128];
  snprintf(path, sizeof path, "/devices/%s?WithConfig=Y", id);
  if (ask("GET", path, "", answer, sizeof answer) != 200) exit(3);
  if (!field(answer, "ShortName", name, sizeof name)) exit(4);
  if (!field(answer, "HostData", data, sizeof data)) {
    printf("%s skipped: no HostData\n", name);
    return;
  }
  if (!field(data, "headers", headers, sizeof headers)) {
    printf("%s skipped: no headers\n", name);
    return;
  }
  if (strcmp(headers, "{}") != 0) {
    printf("%s skipped: %s\n", name, headers);
    return;
  }
  snprintf(path, sizeof path, "/devices/%s", id);
  if (ask("PUT", path, change, answer, sizeof answer) != 200) exit(5);
  printf("%s updated\n", name);
}

int main(int count, char **arguments) {
  char *line;
  if (count != 3) return 1;
  port = atoi(arguments[1]);
  key = arguments[2];
  if (ask("GET", "/devices?fmt=csv&Limit=100", "", list, sizeof list) != 200) return 3;
  for (line = strtok(list, "\r\n"); line != NULL; line = strtok(NULL, "\r\n")) {
    if (strspn(line, "0123456789abcdef") != ID_LENGTH) continue; /* the names of the columns */
    line[ID_LENGTH] = 0;
    visit(line);
  }
  return 0;
}
