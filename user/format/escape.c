// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "parts.h"

/* @return bytes of the UTF-8 character at @s, its code point in @code; 0: it is none */
static size_t utf8_char(const u8 *s, size_t len, u32 *code)
{
	static const u32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80	     ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	size_t i;

	if (!n || n > len)
		return 0;
	*code = n == 1 ? s[0] : s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (n > 1 && (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
		return 0;
	return n;
}

static void put_control(struct strbuf *b, u8 c)
{
	static const char named[] = "\aa\bb\tt\nn\vv\ff\rr";
	size_t i;

	for (i = 0; i + 1 < sizeof(named); i += 2) {
		if (named[i] == (char)c) {
			strbuf__printf(b, "\\%c", named[i + 1]);
			return;
		}
	}
	strbuf__printf(b, "\\x%02x", c);
}

static bool is_plain(u8 c)
{
	return c >= ' ' && c < 0x7f;
}

/* U+0080 to U+009F, and marks that reorder what follows, are controls for a terminal. */
static bool is_control(u32 code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

/* One character or byte that is not plain. @return bytes taken */
static size_t put_special(struct strbuf *b, const u8 *s, size_t len, bool terminal)
{
	u32 code;
	size_t i, n = utf8_char(s, len, &code);

	if (n ? !(n > 1 ? terminal && is_control(code) : is_control(code)) : !terminal) {
		strbuf__add(b, s, n ? n : 1);
		return n ? n : 1;
	}
	for (i = 0; i < (n ? n : 1); i++)
		put_control(b, s[i]);
	return n ? n : 1;
}

void format__escape(struct strbuf *b, const char *s, size_t len, bool terminal)
{
	size_t plain;

	while (len) {
		for (plain = 0; plain < len && is_plain(s[plain]); plain++)
			;
		strbuf__add(b, s, plain);
		s += plain;
		len -= plain;
		if (len) {
			plain = put_special(b, (const u8 *)s, len, terminal);
			s += plain;
			len -= plain;
		}
	}
}

static void put_json_special(struct strbuf *b, u8 c)
{
	if (c == '"' || c == '\\')
		strbuf__printf(b, "\\%c", c);
	else if (c == '\n')
		strbuf__puts(b, "\\n");
	else if (c == '\t')
		strbuf__puts(b, "\\t");
	else
		strbuf__printf(b, "\\u%04x", c);
}

void format__json_string(struct strbuf *b, const char *s, size_t len)
{
	u32 code;
	size_t n;

	strbuf__putc(b, '"');
	while (len) {
		for (n = 0; n < len && is_plain(s[n]) && s[n] != '"' && s[n] != '\\'; n++)
			;
		strbuf__add(b, s, n);
		s += n;
		len -= n;
		if (!len)
			break;
		n = utf8_char((const u8 *)s, len, &code);
		if (n > 1)
			strbuf__add(b, s, n);
		else if (n)
			put_json_special(b, *s);
		else
			strbuf__printf(b, "\\udc%02x", (u8)*s);
		s += n ? n : 1;
		len -= n ? n : 1;
	}
	strbuf__putc(b, '"');
}
