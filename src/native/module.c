/* The module: what the other files offer, and the form in which they do.
 *
 *     FORM  of what the functions take and return: core/optional.py loads only its own
 */
#define _GNU_SOURCE /* memmem */
#include "core.h"

const uint8_t *
find_part(Bytes text, Bytes part)
{
    size_t size = (size_t)(part.end - part.at);
    if (size == 0 || (size_t)(text.end - text.at) < size) return NULL;
#ifdef _WIN32
    for (const uint8_t *at = text.at; (at = find(at, text.end - size + 1, *part.at)) <= text.end - size; at++)
        if (memcmp(at, part.at, size) == 0) return at;
    return NULL;
#else
    return memmem(text.at, (size_t)(text.end - text.at), part.at, size);
#endif
}

int
utf8_of(PyObject *text, Bytes *bytes)
{
    Py_ssize_t size;
    const char *found = PyUnicode_AsUTF8AndSize(text, &size);
    if (found == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear();
        return 0;
    }
    bytes->at = (const uint8_t *)found;
    bytes->end = bytes->at + size;
    return 1;
}

#ifdef CORE_TORTURE
#undef malloc
#undef calloc
#undef realloc
#undef free

static long asked, failing = -1, living;

void *
tortured(void *moved, size_t size, int is_zero)
{
    if (asked++ == failing) return NULL;
    void *memory = is_zero ? calloc(1, size ? size : 1) : realloc(moved, size ? size : 1);
    living += memory != NULL && moved == NULL;
    return memory;
}

void
freed(void *memory)
{
    living -= memory != NULL;
    free(memory);
}

/* Let an allocation fail from now on, and return how many were asked for before, and how many were not freed. */
static PyObject *
torture(PyObject *module, PyObject *number)
{
    long before = asked;
    asked = 0;
    failing = (long)PyLong_AsUnsignedLong(number) - 1;
    return Py_BuildValue("ll", before, living);
}

static PyMethodDef tortures[] = {
    {"torture", torture, METH_O, "torture(number): let this allocation fail, 0 for none."},
    {NULL, NULL, 0, NULL},
};

static int
add_torture(PyObject *module)
{
    return PyModule_AddFunctions(module, tortures);
}
#endif

static int (*const parts[])(PyObject *) = {
    add_reader,
    add_text_functions,
    add_words,
#ifdef CORE_TORTURE
    add_torture,
#endif
};

static int
fill(PyObject *module)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module) < 0) return -1;
    return PyModule_AddIntConstant(module, "FORM", CORE_FORM);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef definition = {
    .head = PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "The loops over letters, in C; thresher.core.optional says what is in it.",
    .m_slots = slots,
};

CORE_PUBLIC PyObject *PyInit__core(void);

PyObject *
PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
