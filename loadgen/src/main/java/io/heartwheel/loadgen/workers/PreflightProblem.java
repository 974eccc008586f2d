package io.heartwheel.loadgen.workers;

/**
 * Something on a machine that stands in the way of a run, and what mends it.
 *
 * @param blocking the run cannot do what was asked; else it can, but worse
 * @param text what is too small, by how much
 * @param remedy a command to type or an option to give, as it stands
 */
public record PreflightProblem(boolean blocking, String text, String remedy) {

    /** One line for people. */
    public String line() {
        return (blocking ? "obstacle: " : "advice: ") + text + "; mend it with: " + remedy;
    }
}
