package io.heartwheel.push.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.Database;
import io.heartwheel.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that the API makes, on the disk. */
class GroupMembersTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());

    @TempDir
    private Path directory;

    private Database open() throws IOException {
        return Database.open(
                directory, "messages.db", true, List.of(GroupMembers.TABLES), new ThreadProgress("messages"));
    }

    private GroupMembers members(Database database, int most) {
        return new GroupMembers(gateway.registry, database, most);
    }

    private static Set<String> names(GroupMembers members, String group) {
        return members.targets(group, false, true).stream()
                .map(id -> new String(id, StandardCharsets.UTF_8))
                .collect(Collectors.toSet());
    }

    @Test
    void members_afterARestart_areThoseThatWereAnswered() throws Exception {
        try (Database database = open()) {
            GroupMembers members = members(database, 100);
            assertTrue(members.add("g", "a").join());
            assertFalse(members.add("g", "a").join(), "again");
            members.add("g", "b").join();
            members.add("h", "a").join();
            assertTrue(members.remove("g", "b").join());
            assertFalse(members.remove("g", "b").join(), "again");
            assertEquals(2, members.size());
        }
        try (Database database = open()) {
            GroupMembers members = members(database, 100);
            assertEquals(Set.of("a"), names(members, "g"));
            assertEquals(Set.of("a"), names(members, "h"));
            assertEquals(2, members.size());
        }
    }

    @Test
    void changes_askedForAtOnce_takePlaceInOrderAndWithinTheLimit() throws Exception {
        try (Database database = open()) {
            GroupMembers members = members(database, 50);
            List<CompletableFuture<Boolean>> asked = new ArrayList<>();
            int refused = 0;
            for (int i = 0; i < 60; i++) {
                try {
                    asked.add(members.add("g", "dev-" + i));
                } catch (RejectedExecutionException full) {
                    refused++;
                }
            }
            asked.add(members.remove("g", "dev-1"));
            asked.forEach(CompletableFuture::join);
            CompletableFuture.allOf(members.remove("g", "dev-0"), members.add("g", "dev-0"))
                    .join();
            assertEquals(10, refused);
            assertEquals(49, members.size());
            assertEquals(49, names(members, "g").size());
            assertTrue(names(members, "g").contains("dev-0"));
        }
    }

    @Test
    void add_notOnTheDisk_changesNothing() throws Exception {
        Database database = open();
        GroupMembers members = members(database, 1);
        database.close();
        CompletionException failure = assertThrows(
                CompletionException.class, () -> members.add("g", "a").join());
        assertInstanceOf(StoreException.class, failure.getCause());
        assertEquals(Set.of(), names(members, "g"));
        assertEquals(0, members.size());
    }
}
