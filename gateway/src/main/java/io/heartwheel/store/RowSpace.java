package io.heartwheel.store;

/** Space of keys in a store. The numbers stand in its file and never change. */
public enum RowSpace {
    /** Facts about the store's owner: its incarnation. */
    META(1),
    /** How far each outlet has come: its name; 8 bytes. */
    CURSORS(2),
    /** Devices that are connected: incarnation and session, 8 bytes each, so that new ones stand at the end; see the presence ledger. */
    PRESENT(3);

    private final int number;

    RowSpace(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
