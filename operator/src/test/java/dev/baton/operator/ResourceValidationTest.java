/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what becomes of Workflows and Runs that are not valid. */
class ResourceValidationTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final InMemoryOrchestrator orchestrator = new InMemoryOrchestrator();
  private final WorkflowResourceReconciler workflows =
      new WorkflowResourceReconciler(orchestrator, Clock.systemUTC());

  private static RunCustomResource run(
      @Nullable String reference, @Nullable String workflow, @Nullable JsonNode input) {
    RunCustomResource run = new RunCustomResource();
    run.setMetadata(
        new ObjectMetaBuilder()
            .withName("r")
            .withNamespace("apps")
            .withUid("u")
            .withGeneration(1L)
            .build());
    run.setSpec(
        new RunSpec(
            reference == null ? null : new WorkflowReference(reference),
            workflow,
            input,
            null,
            null,
            null,
            null,
            null,
            null,
            null));
    return run;
  }

  private static WorkflowCustomResource workflow(@Nullable JsonNode definition) {
    WorkflowCustomResource workflow = new WorkflowCustomResource();
    workflow.setMetadata(
        new ObjectMetaBuilder().withName("hello").withNamespace("apps").withGeneration(1L).build());
    workflow.setSpec(new WorkflowSpec(definition));
    return workflow;
  }

  private static JsonNode text(int length) {
    return JSON.createObjectNode().put("text", "x".repeat(length));
  }

  private static RejectedException refusal(
      RunCustomResource run, Optional<WorkflowCustomResource> workflow) {
    return catchThrowableOfType(
        RejectedException.class, () -> RunStartFactory.create(run, workflow));
  }

  private ResourceCondition accepted(WorkflowCustomResource workflow) throws UnavailableException {
    WorkflowResourceStatus status = workflows.store(workflow, workflow.getStatus());
    workflow.setStatus(status);
    return ResourceCondition.find(status.conditions(), "Accepted").orElseThrow();
  }

  @Test
  void shouldRequireOneOfBothReferences() {
    assertThat(refusal(run(null, null, null), Optional.empty()))
        .hasMessageContaining("neither workflowRef nor workflow")
        .extracting(RejectedException::reason)
        .isEqualTo("InvalidSpec");
    assertThat(refusal(run("a", "b", null), Optional.empty())).hasMessageContaining("both");
  }

  @Test
  void shouldNameAMissingWorkflowAndWhatToDo() {
    assertThat(refusal(run("hello", null, null), Optional.empty()))
        .hasMessageContaining("no Workflow 'hello' in namespace 'apps'; apply it")
        .extracting(RejectedException::reason)
        .isEqualTo("WorkflowNotFound");
  }

  @Test
  void shouldRefuseAnInputAboveItsLimitAndAcceptOneAtIt() throws Exception {
    int overhead = "{\"text\":\"\"}".length();

    assertThat(refusal(run(null, "w", text(65_536 - overhead + 1)), Optional.empty()))
        .hasMessageContaining("spec.input has 65,537 bytes; allowed: 65,536 bytes");
    assertThat(RunStartFactory.create(run(null, "w", text(65_536 - overhead)), Optional.empty()))
        .isPresent();
  }

  @Test
  void shouldStoreADefinitionUnderTheNameOfItsResourceAndStartItsHash() throws Exception {
    WorkflowCustomResource workflow = workflow(JSON.createObjectNode().put("a", 1));

    assertThat(RunStartFactory.create(run("hello", null, null), Optional.of(workflow))).isEmpty();
    assertThat(accepted(workflow).reason()).isEqualTo("Stored");
    Optional<RunStart> start =
        RunStartFactory.create(run("hello", null, null), Optional.of(workflow));

    assertThat(orchestrator.definitions()).containsExactly("{\"a\":1,\"name\":\"hello\"}");
    assertThat(start.orElseThrow().workflow()).isEqualTo("hello@" + workflow.getStatus().digest());
  }

  @Test
  void shouldRefuseADefinitionThatIsMissingOrAboveItsLimit() throws Exception {
    assertThat(accepted(workflow(null)).reason()).isEqualTo("InvalidDefinition");
    assertThat(accepted(workflow(text(256 * 1024))))
        .extracting(ResourceCondition::reason, ResourceCondition::status)
        .isEqualTo(List.of("DefinitionTooLarge", "False"));
    assertThat(accepted(workflow(text(256 * 1024))).message())
        .contains("baton workflows push")
        .contains("allowed: 262,144 bytes");
    assertThat(orchestrator.definitions()).isEmpty();
  }

  @Test
  void shouldNotStartARunOfAWorkflowWithErrorsAndShowThem() throws Exception {
    orchestrator.rejectDefinitions("the definition has one error: steps[0]: no kind");
    WorkflowCustomResource workflow = workflow(JSON.createObjectNode());

    assertThat(accepted(workflow).message()).contains("steps[0]: no kind");
    assertThat(refusal(run("hello", null, null), Optional.of(workflow)))
        .hasMessageContaining("steps[0]: no kind")
        .extracting(RejectedException::reason)
        .isEqualTo("WorkflowNotAccepted");
  }
}
