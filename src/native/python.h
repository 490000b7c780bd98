/* The part of Python's stable ABI that the core uses, so that it is built without Python's headers.
 *
 *     Where <Python.h> was included before, each call is declared twice, which compiles only if both say the same, and
 *     what cannot be declared twice is compared: tests/unit/core/test_native.py does so where there is one.
 */
#ifndef THRESHER_PYTHON_H
#define THRESHER_PYTHON_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define CORE_DATA extern __declspec(dllimport)
#define CORE_PUBLIC __declspec(dllexport)
#else
#define CORE_DATA extern
#define CORE_PUBLIC __attribute__((visibility("default")))
#endif

typedef struct {
    intptr_t references;
    void *type;
} ObjectHead; /* what each object begins with */

#ifndef Py_PYTHON_H

typedef intptr_t Py_ssize_t;
typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef void (*freefunc)(void *);

typedef struct PyMethodDef {
    const char *ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char *ml_doc;
} PyMethodDef;

typedef struct PyModuleDef_Slot {
    int slot;
    void *value;
} PyModuleDef_Slot;

typedef struct PyModuleDef {
    ObjectHead head;
    PyObject *(*m_init)(void);
    Py_ssize_t m_index;
    PyObject *m_copy;
    const char *m_name, *m_doc;
    Py_ssize_t m_size;
    PyMethodDef *m_methods;
    PyModuleDef_Slot *m_slots;
    void *m_traverse, *m_clear, *m_free;
} PyModuleDef;

typedef struct {
    int slot;
    void *pfunc;
} PyType_Slot;

typedef struct {
    const char *name;
    int basicsize, itemsize;
    unsigned int flags;
    PyType_Slot *slots;
} PyType_Spec;

#define PyModuleDef_HEAD_INIT {1, NULL}
enum { METH_VARARGS = 1, METH_O = 8, Py_mod_exec = 2 };
enum { Py_tp_dealloc = 52, Py_tp_doc = 56, Py_tp_methods = 64, Py_tp_new = 65, Py_tp_free = 74 };
#define Py_TPFLAGS_DEFAULT (1U << 18)

CORE_DATA PyObject *PyExc_TypeError, *PyExc_UnicodeEncodeError, *PyExc_ValueError;
CORE_DATA PyObject _Py_NoneStruct;
CORE_DATA PyTypeObject PyDict_Type;

#define Py_None (&_Py_NoneStruct)
#define Py_INCREF(object) Py_IncRef((PyObject *)(object))
#define Py_DECREF(object) Py_DecRef((PyObject *)(object))
#define Py_XINCREF(object) Py_IncRef((PyObject *)(object))
#define Py_XDECREF(object) Py_DecRef((PyObject *)(object))
#define Py_CLEAR(place)                          \
    do {                                         \
        PyObject *cleared_ = (PyObject *)(place); \
        (place) = NULL;                          \
        Py_DecRef(cleared_);                     \
    } while (0)
#define PyArg_ParseTuple _PyArg_ParseTuple_SizeT
#define Py_BuildValue _Py_BuildValue_SizeT

#else /* compare */

_Static_assert(sizeof(ObjectHead) == sizeof(PyObject), "PyObject");
_Static_assert(offsetof(PyModuleDef, m_name) == sizeof(ObjectHead) + 3 * sizeof(void *), "PyModuleDef");
_Static_assert(sizeof(PyModuleDef) == sizeof(ObjectHead) + 11 * sizeof(void *), "PyModuleDef");
_Static_assert(offsetof(PyModuleDef, m_slots) == sizeof(ObjectHead) + 7 * sizeof(void *), "m_slots");
_Static_assert(sizeof(PyMethodDef) == 4 * sizeof(void *) && offsetof(PyMethodDef, ml_doc) == 3 * sizeof(void *), "PyMethodDef");
_Static_assert(sizeof(PyModuleDef_Slot) == 2 * sizeof(void *) && sizeof(PyType_Slot) == 2 * sizeof(void *), "slots");
_Static_assert(offsetof(PyType_Spec, slots) == sizeof(void *) + 16 && offsetof(PyType_Spec, flags) == sizeof(void *) + 8, "spec");
_Static_assert(METH_VARARGS == 1 && METH_O == 8 && Py_mod_exec == 2, "flags");
_Static_assert(Py_tp_dealloc == 52 && Py_tp_doc == 56 && Py_tp_methods == 64 && Py_tp_new == 65 && Py_tp_free == 74, "slots");

#endif

int _PyArg_ParseTuple_SizeT(PyObject *args, const char *format, ...);
PyObject *_Py_BuildValue_SizeT(const char *format, ...);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);

PyObject *PyErr_NoMemory(void);
PyObject *PyErr_Occurred(void);
int PyErr_ExceptionMatches(PyObject *kind);
void PyErr_Clear(void);
void PyErr_SetString(PyObject *kind, const char *message);

PyObject *PyModuleDef_Init(PyModuleDef *definition);
int PyModule_AddFunctions(PyObject *module, PyMethodDef *functions);
int PyModule_AddIntConstant(PyObject *module, const char *name, long value);
int PyModule_AddObjectRef(PyObject *module, const char *name, PyObject *value);
PyObject *PyType_FromSpec(PyType_Spec *specification);
PyObject *PyType_GenericAlloc(PyTypeObject *type, Py_ssize_t items);
void *PyType_GetSlot(PyTypeObject *type, int slot);

PyObject *PyObject_CallFunctionObjArgs(PyObject *callable, ...);
PyObject *PyObject_CallMethod(PyObject *object, const char *name, const char *format, ...);
int PyObject_IsTrue(PyObject *object);
PyObject *PyObject_Type(PyObject *object);

PyObject *PyBool_FromLong(long value);
PyObject *PyLong_FromLong(long value);
PyObject *PyLong_FromSsize_t(Py_ssize_t value);
PyObject *PyLong_FromUnsignedLong(unsigned long value);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long value);
unsigned long PyLong_AsUnsignedLong(PyObject *object);

PyObject *PyDict_New(void);
PyObject *PyDict_GetItemWithError(PyObject *dict, PyObject *key);
int PyDict_SetItem(PyObject *dict, PyObject *key, PyObject *value);
PyObject *PyList_New(Py_ssize_t size);
int PyList_Append(PyObject *list, PyObject *item);
PyObject *PyList_GetItem(PyObject *list, Py_ssize_t place);
Py_ssize_t PyList_Size(PyObject *list);
PyObject *PyTuple_GetItem(PyObject *tuple, Py_ssize_t place);
Py_ssize_t PyTuple_Size(PyObject *tuple);

const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);
PyObject *PyUnicode_DecodeASCII(const char *bytes, Py_ssize_t size, const char *errors);
PyObject *PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t size, const char *errors);
PyObject *PyUnicode_FromOrdinal(int character);
PyObject *PyUnicode_FromString(const char *text);
PyObject *PyUnicode_Substring(PyObject *text, Py_ssize_t first, Py_ssize_t stop);

#define RETURN_NONE return Py_IncRef(Py_None), Py_None

#endif
