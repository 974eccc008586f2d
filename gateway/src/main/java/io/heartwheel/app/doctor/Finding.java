package io.heartwheel.app.doctor;

import java.util.Locale;

/**
 * Finding of one check. Immutable; any thread.
 *
 * @param grade how it stands
 * @param area what it belongs to, one word; empty until {@link Checks} has named it
 * @param what what was found, with figures
 * @param why what follows from it; empty when all is well
 * @param remedy the command or the line that changes it; empty when all is well
 */
record Finding(Grade grade, String area, String what, String why, String remedy) {

    /** Grade of a finding, the worst last. */
    enum Grade {
        /** As it should be, or not to be known. */
        OK,
        /** It works, and not as well as it could. */
        WARN,
        /** It does not work as configured. */
        FAIL
    }

    static Finding ok(String what) {
        return new Finding(Grade.OK, "", what, "", "");
    }

    static Finding warn(String what, String why, String remedy) {
        return new Finding(Grade.WARN, "", what, why, remedy);
    }

    static Finding fail(String what, String why, String remedy) {
        return new Finding(Grade.FAIL, "", what, why, remedy);
    }

    Finding in(String area) {
        return new Finding(grade, area, what, why, remedy);
    }

    /** A figure in a sentence. */
    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
