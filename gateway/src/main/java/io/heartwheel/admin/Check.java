package io.heartwheel.admin;

import java.util.List;

/** Check that answers with the problems it finds. Any thread; quick, never blocks. */
@FunctionalInterface
public interface Check {
    /** Each obstacle in words for an operator; empty: all is well. */
    List<String> problems();
}
