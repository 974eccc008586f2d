package io.heartwheel.admin;

import java.util.List;

/** A question that is answered by what stands against it. Any thread; quick, never blocks. */
@FunctionalInterface
public interface Check {
    /** Each obstacle in words for an operator; empty: all is well. */
    List<String> problems();
}
