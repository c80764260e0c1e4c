"""Parts of libraries that take long to import: what needs them imports them as it is called.

Threads that import parts of scikit-learn at the same moment through different modules can fail, so
nobody imports these parts from elsewhere: who comes second then waits for the module of this
package that the first one is importing.
"""
