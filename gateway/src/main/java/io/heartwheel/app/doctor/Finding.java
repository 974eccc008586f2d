package io.heartwheel.app.doctor;

/**
 * Finding of one check. Immutable; any thread.
 *
 * @param grade how it stands
 * @param area what it belongs to, one word
 * @param what what was found, with figures
 * @param why what follows from it; empty when all is well
 * @param remedy the command or the line that changes it; empty when all is well
 */
record Finding(Grade grade, String area, String what, String why, String remedy) {

    /** How a thing stands, the worst last. */
    enum Grade {
        /** As it should be, or not to be known. */
        OK,
        /** It works, and not as well as it could. */
        WARN,
        /** It does not work as configured. */
        FAIL
    }

    static Finding ok(String area, String what) {
        return new Finding(Grade.OK, area, what, "", "");
    }

    static Finding warn(String area, String what, String why, String remedy) {
        return new Finding(Grade.WARN, area, what, why, remedy);
    }

    static Finding fail(String area, String what, String why, String remedy) {
        return new Finding(Grade.FAIL, area, what, why, remedy);
    }
}
