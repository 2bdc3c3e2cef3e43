/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** A definition that is stored in Baton as the current version of its name. */
@Group(WorkflowCustomResource.GROUP)
@Version(WorkflowCustomResource.VERSION)
@Kind("Workflow")
@Plural("workflows")
@Singular("workflow")
@ShortNames("bwf")
@AdditionalPrinterColumn(
    name = "Digest",
    jsonPath = ".status.digest",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Accepted",
    jsonPath = ".status.conditions[?(@.type==\"Accepted\")].status",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Reason",
    jsonPath = ".status.conditions[?(@.type==\"Accepted\")].reason",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Message",
    jsonPath = ".status.conditions[?(@.type==\"Accepted\")].message",
    type = AdditionalPrinterColumn.Type.STRING,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class WorkflowCustomResource extends CustomResource<WorkflowSpec, WorkflowResourceStatus>
    implements Namespaced {
  private static final long serialVersionUID = 1L;

  static final String GROUP = "baton.dev";
  static final String VERSION = "v1alpha1";
}
