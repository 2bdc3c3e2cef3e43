/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.storedoctor.StoreCheck.Need;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The program behind {@code baton store doctor}. Its arguments are {@code endpoint region bucket
 * page} and optionally {@code --json}; the credentials are in the environment, since arguments are
 * visible to other users.
 */
public final class StoreDoctorMain {
  static final String ACCESS_KEY = "BATON_OBJECT_STORE_ACCESS_KEY";
  static final String SECRET_KEY = "BATON_OBJECT_STORE_SECRET_KEY";

  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int POSITIONS = 4;

  private StoreDoctorMain() {}

  public static void main(String[] args) throws Exception {
    System.exit(run(List.of(args), System.getenv(), System.out, System.err));
  }

  /** Returns the exit code: 0 when every required check is met, 1 otherwise, 2 for bad input. */
  static int run(
      List<String> args, Map<String, String> environment, PrintStream out, PrintStream err)
      throws IOException, InterruptedException {
    BucketAddress address;
    TlsSettings tls;
    int page;
    try {
      if (args.size() < POSITIONS) {
        throw new IllegalArgumentException("expected: endpoint region bucket page [--json]");
      }
      if (!environment.containsKey(ACCESS_KEY) || !environment.containsKey(SECRET_KEY)) {
        throw new IllegalArgumentException(
            "credentials are missing: set %s and %s".formatted(ACCESS_KEY, SECRET_KEY));
      }
      address =
          new BucketAddress(
              URI.create(args.get(0)),
              args.get(1),
              args.get(2),
              environment.getOrDefault(ACCESS_KEY, ""),
              environment.getOrDefault(SECRET_KEY, ""));
      page = Integer.parseInt(args.get(3));
      tls = tls(environment);
    } catch (IllegalArgumentException e) {
      err.println("baton store doctor: " + e.getMessage());
      return USAGE;
    }
    boolean json = args.contains("--json");
    Consumer<CheckOutcome> progress = json ? outcome -> {} : outcome -> print(outcome, out);
    List<StoreCheck> checks = new StoreChecks(System.nanoTime(), page).all();
    List<CheckOutcome> outcomes = new StoreDoctor(address, tls).run(checks, progress);
    boolean usable =
        outcomes.size() == checks.size() && outcomes.stream().noneMatch(CheckOutcome::isFatal);
    if (json) {
      out.println(json(address, outcomes, usable));
    } else {
      out.println(summary(address, outcomes, checks.size(), usable));
    }
    return usable ? OK : FAILED;
  }

  private static TlsSettings tls(Map<String, String> environment) {
    try {
      return TlsSettings.read(
          key ->
              Optional.ofNullable(environment.get(StoreDoctor.TRUST))
                  .filter(file -> key.equals(TlsSettings.TRUST)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          String.valueOf(e.getMessage()).replace(TlsSettings.TRUST, StoreDoctor.TRUST), e);
    }
  }

  private static void print(CheckOutcome outcome, PrintStream out) {
    StoreCheck check = outcome.check();
    String word = outcome.isMet() ? "ok" : outcome.isFatal() ? "missing" : "note";
    out.printf(Locale.ROOT, "%-8s %-17s %6d ms", word, check.name(), outcome.millis());
    if (!outcome.isMet()) {
      out.printf("  %s; so %s", outcome.failure(), check.consequence());
    }
    out.println();
  }

  private static String summary(
      BucketAddress address, List<CheckOutcome> outcomes, int checks, boolean usable) {
    if (outcomes.size() < checks) {
      return "%s cannot be used; the other %d checks were not run"
          .formatted(address.endpoint(), checks - outcomes.size());
    }
    long met = outcomes.stream().filter(CheckOutcome::isMet).count();
    return "%s %s: %d of %d checks are met"
        .formatted(
            address.endpoint(), usable ? "can be used" : "cannot be used", met, outcomes.size());
  }

  private static String json(BucketAddress address, List<CheckOutcome> outcomes, boolean usable)
      throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode all = mapper.createObjectNode();
    all.put("endpoint", address.endpoint().toString());
    all.put("bucket", address.bucket());
    all.put("usable", usable);
    ArrayNode checks = all.putArray("checks");
    for (CheckOutcome outcome : outcomes) {
      ObjectNode one = checks.addObject();
      one.put("name", outcome.check().name());
      one.put("need", name(outcome.check().need()));
      one.put("met", outcome.isMet());
      one.put("ms", outcome.millis());
      if (!outcome.isMet()) {
        one.put("found", outcome.failure());
        one.put("consequence", outcome.check().consequence());
      }
    }
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(all);
  }

  private static String name(Need need) {
    return need.name().toLowerCase(Locale.ROOT);
  }
}
