package io.heartwheel.loadgen.app;

import java.io.Console;

/** Whether somebody looks on. */
final class Terminal {
    private Terminal() {}

    /** Whether standard input and output are a terminal. A JDK from 22 on has a console without one, too, and is asked; an older one has none then. */
    @SuppressWarnings("SystemConsoleNull")
    static boolean isThere() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException before22) {
            return true;
        }
    }
}
