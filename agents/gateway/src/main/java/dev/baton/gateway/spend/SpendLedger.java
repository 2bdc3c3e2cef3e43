/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the answers of a run have cost, by conversation and in total, and admits requests
 * while its budget lasts. A request reserves the most that its answer can cost. Requests whose
 * reservations fit into the budget go out together; another one waits until it is alone. So at most
 * one answer passes the budget.
 *
 * <p>Thread-safe.
 */
public final class SpendLedger {
  private static final Duration RECHECK = Duration.ofSeconds(1);

  /** Stands for an answer without a bound: never fits next to another one. */
  private static final long UNBOUNDED = 1L << 40;

  private final String run;
  private final SpendBudget budget;
  private final ModelPriceTable prices;
  private final Clock clock;
  private final Map<String, SpendTotal> byConversation = new TreeMap<>();
  private SpendTotal total = SpendTotal.NONE;
  private long inFlight;
  private long reservedTokens;
  private BigDecimal reservedCost = BigDecimal.ZERO;

  /**
   * @param run id of the run, for messages
   * @param spent what earlier epochs have spent
   */
  public SpendLedger(
      String run, SpendBudget budget, ModelPriceTable prices, Clock clock, SpendTotal spent) {
    this.run = run;
    this.budget = budget;
    this.prices = prices;
    this.clock = clock;
    this.total = spent;
  }

  /** A request that is out, with the most that its answer can cost. */
  public final class Reservation {
    private final long tokens;
    private final BigDecimal cost;
    private boolean open = true;

    private Reservation(long tokens, BigDecimal cost) {
      this.tokens = tokens;
      this.cost = cost;
    }

    /** Ends the reservation, without cost. Has no effect when it has ended. */
    public void release() {
      end(this);
    }

    /** Ends the reservation and counts the answer. */
    public void settle(
        String conversation, @Nullable TokenUsage usage, @Nullable BigDecimal spent) {
      count(conversation, usage, spent);
      end(this);
    }
  }

  /**
   * Admits a request, or waits while requests that are out could use up the rest of the budget.
   *
   * @param requestBytes size of the request; a token has at least one byte
   * @param maxOutput bound on the answer in tokens; null where the request has none
   * @param cancelled ends the wait
   * @throws BudgetExceededException when a budget is used up, or a cost budget is set and the model
   *     has no price
   */
  public synchronized Reservation reserve(
      String model, long requestBytes, @Nullable Long maxOutput, BooleanSupplier cancelled)
      throws BudgetExceededException, InterruptedException {
    Optional<ModelPrice> price = prices.price(model);
    if (budget.cost() != null && price.isEmpty()) {
      throw new BudgetExceededException(
          "cost",
          ("run %s: model '%s' has no price, so its cost budget cannot be enforced; "
                  + "add the model to baton.agent.prices or use a tokens budget")
              .formatted(run, model));
    }
    long output =
        maxOutput != null ? maxOutput : price.map(ModelPrice::maxOutput).orElse(UNBOUNDED);
    long tokens = requestBytes + output;
    BigDecimal cost =
        price
            .map(
                p ->
                    p.dearestInput()
                        .multiply(BigDecimal.valueOf(requestBytes))
                        .add(p.outputToken().multiply(BigDecimal.valueOf(output))))
            .orElse(BigDecimal.ZERO);
    while (true) {
      check();
      if (inFlight == 0 || fits(tokens, cost)) {
        inFlight++;
        reservedTokens += tokens;
        reservedCost = reservedCost.add(cost);
        return new Reservation(tokens, cost);
      }
      if (cancelled.getAsBoolean()) {
        throw new InterruptedException("cancelled while waiting for the budget");
      }
      wait(RECHECK.toMillis());
    }
  }

  private boolean fits(long tokens, BigDecimal cost) {
    Long maxTurns = budget.turns();
    Long maxTokens = budget.tokens();
    BigDecimal maxCost = budget.cost();
    return (maxTurns == null || total.turns() + inFlight < maxTurns)
        && (maxTokens == null || total.usage().total() + reservedTokens + tokens <= maxTokens)
        && (maxCost == null || total.cost().add(reservedCost).add(cost).compareTo(maxCost) <= 0);
  }

  /**
   * Checks the budget without reserving.
   *
   * @throws BudgetExceededException when it is used up
   */
  public synchronized void check() throws BudgetExceededException {
    BigDecimal maxCost = budget.cost();
    if (maxCost != null && total.cost().compareTo(maxCost) >= 0) {
      throw exceeded(
          "cost", maxCost.toPlainString() + " USD", total.cost().toPlainString() + " USD");
    }
    Long maxTokens = budget.tokens();
    if (maxTokens != null && total.usage().total() >= maxTokens) {
      throw exceeded("tokens", maxTokens + " tokens", total.usage().total() + " tokens");
    }
    Long maxTurns = budget.turns();
    if (maxTurns != null && total.turns() >= maxTurns) {
      throw exceeded("turns", maxTurns + " turns", total.turns() + " turns");
    }
    Instant deadline = budget.deadline();
    if (deadline != null && !clock.instant().isBefore(deadline)) {
      throw new BudgetExceededException(
          "deadline",
          "run %s: its deadline %s has passed; continue with a fork: baton replay %s --deadline 2h"
              .formatted(run, deadline, run));
    }
  }

  private BudgetExceededException exceeded(String name, String limit, String spent) {
    return new BudgetExceededException(
        name,
        ("run %s: its %s budget of %s is used up: %s spent in %d answers; "
                + "continue with: baton resume %s --budget %s=N")
            .formatted(run, name, limit, spent, total.turns(), run, name));
  }

  /** Counts an answer, also one that broke off. */
  public synchronized void count(
      String conversation, @Nullable TokenUsage usage, @Nullable BigDecimal cost) {
    total = total.plus(usage, cost);
    byConversation.merge(
        conversation, SpendTotal.NONE.plus(usage, cost), (known, one) -> known.plus(usage, cost));
  }

  private synchronized void end(Reservation reservation) {
    if (reservation.open) {
      reservation.open = false;
      inFlight--;
      reservedTokens -= reservation.tokens;
      reservedCost = reservedCost.subtract(reservation.cost);
      notifyAll();
    }
  }

  /** The cost of an answer; empty where the usage or the price of the model is unknown. */
  public Optional<BigDecimal> cost(String model, @Nullable TokenUsage usage) {
    return usage == null ? Optional.empty() : prices.price(model).map(price -> price.cost(usage));
  }

  public synchronized SpendTotal total() {
    return total;
  }

  /** What this gateway has spent, by conversation; without what earlier epochs have spent. */
  public synchronized Map<String, SpendTotal> byConversation() {
    return Map.copyOf(byConversation);
  }
}
