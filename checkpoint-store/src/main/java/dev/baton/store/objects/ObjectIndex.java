/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.HibernateException;
import org.hibernate.reactive.mutiny.Mutiny;

/** The index of what the bucket may hold. */
@ApplicationScoped
class ObjectIndex {
  private static final String KNOWN = "SELECT key FROM store.object WHERE key IN (:keys)";

  private final Mutiny.SessionFactory sessions;

  ObjectIndex(Mutiny.SessionFactory sessions) {
    this.sessions = sessions;
  }

  /** Notes the objects that are new. To be called on a Vert.x context. */
  Uni<Void> note(List<ObjectName> objects, String run) {
    // Two runs may ask for one object at once: who comes second sees it on the second look.
    return noteOnce(objects, run).onFailure(HibernateException.class).retry().atMost(1);
  }

  private Uni<Void> noteOnce(List<ObjectName> objects, String run) {
    Map<String, ObjectName> byKey = new LinkedHashMap<>();
    objects.forEach(object -> byKey.put(object.key(), object));
    return sessions.withStatelessTransaction(
        session ->
            session
                .createNativeQuery(KNOWN, String.class)
                .setParameter("keys", List.copyOf(byKey.keySet()))
                .getResultList()
                .chain(known -> insert(session, byKey, Set.copyOf(known), run)));
  }

  private static Uni<Void> insert(
      Mutiny.StatelessSession session,
      Map<String, ObjectName> byKey,
      Set<String> known,
      String run) {
    Instant now = Instant.now();
    List<KnownObject> fresh =
        byKey.values().stream()
            .filter(object -> !known.contains(object.key()))
            .map(object -> new KnownObject(object, run, now))
            .collect(Collectors.toList());
    return fresh.isEmpty()
        ? Uni.createFrom().voidItem()
        : session.insertMultiple(fresh).replaceWithVoid();
  }
}
