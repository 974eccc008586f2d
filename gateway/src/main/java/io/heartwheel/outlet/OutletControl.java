package io.heartwheel.outlet;

import java.util.List;
import java.util.Optional;

/** The operator's view of the outlets, and hold on them. Any thread; nothing blocks. */
public interface OutletControl {
    /** Without a journal there are no outlets. */
    OutletControl NONE = new OutletControl() {
        @Override
        public List<OutletStatus> all() {
            return List.of();
        }

        @Override
        public Optional<OutletRunner> find(String name) {
            return Optional.empty();
        }
    };

    /** All of them in order of their names. */
    List<OutletStatus> all();

    /** The one of this name. */
    Optional<OutletRunner> find(String name);
}
