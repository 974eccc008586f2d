package io.heartwheel.log;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.function.UnaryOperator;

/** A failure and its causes in lines, the deepest frames they share left out. Stops at a depth no honest chain of causes has. */
final class StackTraceText {
    private static final int DEEPEST = 20;

    private StackTraceText() {}

    /** @param fit what makes a message of anybody's fit for a line */
    static void append(StringBuilder to, IThrowableProxy failure, UnaryOperator<String> fit) {
        append(to, failure, "", fit, 0);
    }

    private static void append(
            StringBuilder to, IThrowableProxy failure, String lead, UnaryOperator<String> fit, int depth) {
        String message = failure.getMessage();
        to.append(lead).append(failure.getClassName());
        if (message != null) {
            to.append(": ").append(fit.apply(message));
        }
        to.append('\n');
        StackTraceElementProxy[] frames = failure.getStackTraceElementProxyArray();
        int own = frames.length - failure.getCommonFrames();
        for (int i = 0; i < own; i++) {
            to.append('\t').append(frames[i].getSTEAsString()).append('\n');
        }
        if (own < frames.length) {
            to.append("\t... ").append(frames.length - own).append(" more\n");
        }
        if (depth == DEEPEST) {
            return;
        }
        for (IThrowableProxy suppressed : failure.getSuppressed()) {
            append(to, suppressed, "\tsuppressed: ", fit, depth + 1);
        }
        if (failure.getCause() != null) {
            append(to, failure.getCause(), "caused by: ", fit, depth + 1);
        }
    }
}
