/* Looks texts up in a compiled gettext catalogue (.mo) in memory. */
#ifndef ATTNLAB_DATA_MO_H
#define ATTNLAB_DATA_MO_H

#include <stddef.h>

/* The translation of MSGID in the N BYTES of a catalogue of either byte order, pointing into BYTES; NULL if
 * it has none, or if the bytes are no sound catalogue (gettext manual, "The Format of GNU MO Files"). */
const char *mo_find(const unsigned char *bytes, size_t n, const char *msgid);

#endif
