package io.heartwheel.push.group;

import io.heartwheel.auth.Grant;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.store.Database;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Members of groups: connected devices by their grants, and those that the API made members, connected or not.
 *
 * <p>What the API changes is seen when it is on the disk, in the order of the disk; without a database at once. Any thread; a short lock, which no event loop
 * takes. Memory: about 200 bytes for the first group of a device, and less for each further one.
 */
public final class GroupMembers {
    /** Layout of their table. */
    public static final String TABLES =
            "CREATE TABLE member(of_group TEXT NOT NULL, device TEXT NOT NULL, PRIMARY KEY(of_group, device)) WITHOUT ROWID";

    private static final String ENTER = "INSERT OR IGNORE INTO member VALUES (?, ?)";
    private static final String LEAVE = "DELETE FROM member WHERE of_group = ? AND device = ?";

    private final SessionRegistry registry;
    private final @Nullable Database database;

    // ---- guarded by this
    private int most;
    private int size;
    private final Map<String, Set<String>> groups = new HashMap<>();
    /** How many groups each device is in; those included that it is about to enter. */
    private final Map<String, Integer> devices = new HashMap<>();

    /**
     * Member of a group, at one moment.
     *
     * @param byApi whether the API made it one
     * @param byGrant whether its grant does
     */
    public record Member(String deviceId, boolean byApi, boolean byGrant, boolean connected) {}

    /**
     * Some of the members of a group.
     *
     * @param next the cursor of the next page, null if this was the last
     */
    public record Page(List<Member> members, @Nullable Long next) {}

    /**
     * Those that the database has.
     *
     * @param database null: what the API makes members is in memory only
     * @param most memberships that the API may make
     * @throws CompletionException if it cannot be read
     */
    public GroupMembers(SessionRegistry registry, @Nullable Database database, int most) {
        this.registry = registry;
        this.database = database;
        this.most = most;
        if (database != null) {
            database.run(on -> {
                        List<String[]> rows = new ArrayList<>();
                        try (ResultSet found =
                                on.of("SELECT of_group, device FROM member").executeQuery()) {
                            while (found.next()) {
                                rows.add(new String[] {found.getString(1), found.getString(2)});
                            }
                        }
                        return rows;
                    })
                    .join()
                    .forEach(row -> enter(row[0], row[1]));
        }
    }

    synchronized void limit(int memberships) {
        most = memberships;
    }

    /** Whether what the API makes members is so after a restart. */
    public boolean isDurable() {
        return database != null;
    }

    /** Memberships that the API made. */
    public synchronized int size() {
        return size;
    }

    // ------------------------------------------------------------------ changes

    /**
     * Makes a device a member.
     *
     * @return whether it was none before; fails with a {@link io.heartwheel.store.StoreException} if it is not on the disk, and then it is none
     * @throws RejectedExecutionException if there are as many members as may be, or the device is in as many groups as it may be
     */
    public synchronized CompletableFuture<Boolean> add(String group, String deviceId) {
        boolean isNew = requireRoom(group, deviceId);
        if (isNew) {
            count(deviceId, 1); // its room is taken now, so that the limits hold
        }
        return change(ENTER, group, deviceId, () -> enter(group, deviceId)).whenComplete((entered, failure) -> {
            if (isNew) {
                count(deviceId, -1);
            }
        });
    }

    /**
     * Makes sure that a device may become a member.
     *
     * @return whether it is none
     * @throws RejectedExecutionException as {@link #add}
     */
    public synchronized boolean requireRoom(String group, String deviceId) {
        boolean isNew = !has(group, deviceId);
        if (isNew && devices.getOrDefault(deviceId, 0) >= Grant.MOST_GROUPS) {
            throw new RejectedExecutionException(
                    "the device is in " + Grant.MOST_GROUPS + " groups: it can be in no more");
        }
        if (isNew && size >= most) {
            throw new RejectedExecutionException(
                    "messages.jobs.members = " + most + ": that many are members of groups");
        }
        return isNew;
    }

    /** Whether the API made the device a member. */
    public synchronized boolean has(String group, String deviceId) {
        return groups.getOrDefault(group, Set.of()).contains(deviceId);
    }

    /** Follows what is true elsewhere, limits or not: at once, and on the disk when it takes it. */
    public synchronized void follow(String group, String deviceId, boolean member) {
        if (member ? enter(group, deviceId) : leave(group, deviceId)) {
            change(member ? ENTER : LEAVE, group, deviceId, () -> true);
        }
    }

    /** What the API made, group by group. */
    public synchronized Map<String, Set<String>> all() {
        Map<String, Set<String>> all = new HashMap<>();
        groups.forEach((group, members) -> all.put(group, new HashSet<>(members)));
        return all;
    }

    /**
     * The device is no member any more, as far as the API made it one.
     *
     * @return whether it was one; fails like {@link #add}
     */
    public synchronized CompletableFuture<Boolean> remove(String group, String deviceId) {
        return change(LEAVE, group, deviceId, () -> leave(group, deviceId));
    }

    /** Under the lock, so that the disk has what is asked for in the order in which it is. */
    private CompletableFuture<Boolean> change(String sql, String group, String deviceId, BooleanSupplier seen) {
        if (database == null) {
            return CompletableFuture.completedFuture(seen.getAsBoolean());
        }
        return database.run(on -> {
                    PreparedStatement row = on.of(sql);
                    row.setString(1, group);
                    row.setString(2, deviceId);
                    return row.executeUpdate();
                })
                .thenApply(rows -> seen.getAsBoolean());
    }

    private synchronized boolean enter(String group, String deviceId) {
        boolean entered = groups.computeIfAbsent(group, name -> new HashSet<>()).add(deviceId);
        if (entered) {
            count(deviceId, 1);
        }
        return entered;
    }

    private synchronized boolean leave(String group, String deviceId) {
        Set<String> members = groups.get(group);
        if (members == null || !members.remove(deviceId)) {
            return false;
        }
        if (members.isEmpty()) {
            groups.remove(group);
        }
        count(deviceId, -1);
        return true;
    }

    private synchronized void count(String deviceId, int change) {
        size += change;
        devices.merge(deviceId, change, (before, more) -> before + more == 0 ? null : before + more);
    }

    // ------------------------------------------------------------------ facts

    private synchronized Set<String> named(@Nullable String group) {
        Set<String> named = group == null ? devices.keySet() : groups.getOrDefault(group, Set.of());
        return new HashSet<>(named);
    }

    /**
     * Ids of those whom a message is for, as UTF-8, each once: whoever is connected now, and whom the API made a member.
     *
     * @param group null: everybody
     * @param kept whether it is kept for those who are not connected: then everybody includes the members of all groups
     * @param away whether members that are not connected are among them
     */
    List<byte[]> targets(@Nullable String group, boolean kept, boolean away) {
        List<byte[]> connected = group == null ? registry.ids() : registry.idsOf(group);
        if (group == null && !(kept && away)) {
            return connected;
        }
        Set<byte[]> each = new TreeSet<>(Arrays::compareUnsigned);
        each.addAll(connected);
        for (String deviceId : named(group)) {
            if (away || registry.find(deviceId) != null) {
                each.add(deviceId.getBytes(StandardCharsets.UTF_8));
            }
        }
        return List.copyOf(each);
    }

    /**
     * One page of a group's members, in an order that does not change while the process lives.
     *
     * @param after the cursor of the page before, null for the first
     * @param limit at most so many, 1 or more
     */
    public Page page(String group, @Nullable Long after, int limit) {
        Set<String> byApi = named(group);
        Set<String> byGrant = new HashSet<>();
        registry.idsOf(group).forEach(deviceId -> byGrant.add(new String(deviceId, StandardCharsets.UTF_8)));
        TreeMap<Long, String> first = new TreeMap<>(Long::compareUnsigned);
        for (Set<String> members : List.of(byApi, byGrant)) {
            for (String deviceId : members) {
                long place = registry.place(deviceId);
                if (after == null || Long.compareUnsigned(place, after) > 0) {
                    first.put(place, deviceId);
                }
                if (first.size() > limit + 1) {
                    first.pollLastEntry();
                }
            }
        }
        boolean more = first.size() > limit && first.pollLastEntry() != null;
        List<Member> members = first.values().stream()
                .map(deviceId -> new Member(
                        deviceId,
                        byApi.contains(deviceId),
                        byGrant.contains(deviceId),
                        registry.find(deviceId) != null))
                .toList();
        return new Page(members, more ? first.lastKey() : null);
    }
}
