/* A libFuzzer target over the whole reader of the core: python -m tests.fuzz.reader builds and runs it.
 *
 *     read_input   the function of tests/fuzz/reader.py that reads one input and returns its texts
 *
 * The core is linked in, so that its edges are seen, and takes the place of the one beside the sources. An exception,
 * and an answer that is no list of str, end the program as a wrong access does.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>
#include <stdlib.h>

PyObject *PyInit__core(void);
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char put_core[] = "import sys, _core\n"
                               "sys.modules['thresher._core'] = _core\n";
static PyObject *read_input;

/* End the program so that libFuzzer writes the input down. */
static void
give_up(const char *why)
{
    if (PyErr_Occurred()) PyErr_Print();
    fprintf(stderr, "fuzz_reader: %s\n", why);
    fflush(stderr);
    abort();
}

/* Start Python as the environment says (PYTHONHOME, PYTHONPATH), without its handlers of signals. */
int
LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    if (PyImport_AppendInittab("_core", PyInit__core) < 0) give_up("no place for the core");
    Py_InitializeEx(0);
    if (PyRun_SimpleString(put_core) < 0) give_up("the core cannot be imported");
    PyObject *module = PyImport_ImportModule("tests.fuzz.reader");
    read_input = module ? PyObject_GetAttrString(module, "read_input") : NULL;
    if (read_input == NULL) give_up("no function that reads an input");
    Py_DECREF(module);
    return 0;
}

static int
is_list_of_str(PyObject *texts)
{
    if (!PyList_Check(texts)) return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts); i++)
        if (!PyUnicode_Check(PyList_GET_ITEM(texts, i))) return 0;
    return 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PyObject *texts = PyObject_CallFunction(read_input, "y#", (const char *)data, (Py_ssize_t)size);
    if (texts == NULL) give_up("an exception");
    if (!is_list_of_str(texts)) give_up("an answer that is no list of str");
    Py_DECREF(texts);
    return 0;
}
